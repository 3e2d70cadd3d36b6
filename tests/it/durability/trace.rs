//! The output of `strace`, as calls with a start and an end.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The calls that change files, sync them, or send to a client.
pub const CALLS: &str = "openat,open,creat,close,read,lseek,write,pwrite64,writev,pwritev,pwritev2,sendto,sendmsg,recvfrom,\
                         recvmsg,fsync,fdatasync,sync_file_range,syncfs,sync,rename,renameat,renameat2,link,linkat,unlink,\
                         unlinkat,mkdir,mkdirat,rmdir,truncate,ftruncate,fallocate,copy_file_range,sendfile,splice,\
                         symlink,symlinkat,chdir";

/// One call with its result.
#[derive(Debug, Clone)]
pub struct Call {
    pub name: String,
    pub arguments: Vec<String>,
    pub result: i64,
    /// Line numbers of the trace, which serve as time.
    pub begun_at: usize,
    pub ended_at: usize,
    working_directory: Option<PathBuf>,
}

impl Call {
    /// The path of an argument, which is a name or a descriptor.
    pub fn path(&self, index: usize) -> Option<PathBuf> {
        let argument = self.arguments.get(index)?;
        match argument.strip_prefix('"') {
            Some(quoted) => {
                let directory = self.working_directory.as_deref().unwrap_or(Path::new(""));
                Some(directory.join(text(quoted.trim_end_matches('"'))))
            }
            None => {
                let path = argument.split_once('<')?.1.trim_end_matches("(deleted)").trim_end_matches('>');
                Some(text(path).into())
            }
        }
    }

    /// The path of a name that may be relative to the directory in the argument before it.
    pub fn path_at(&self, index: usize) -> Option<PathBuf> {
        Some(self.path(index - 1)?.join(text(self.arguments.get(index)?.trim_matches('"'))))
    }

    /// Whether the file of the first argument was deleted already.
    pub fn is_deleted(&self) -> bool {
        self.arguments.first().is_some_and(|argument| argument.ends_with("(deleted)"))
    }

    /// The descriptor in the first argument.
    pub fn file(&self) -> Option<i64> {
        self.arguments.first()?.split('<').next()?.parse().ok()
    }

    pub fn number(&self, index: usize) -> Option<u64> {
        self.arguments.get(index)?.parse().ok()
    }

    pub fn says(&self, index: usize, flag: &str) -> bool {
        self.arguments.get(index).is_some_and(|argument| argument.split('|').any(|word| word == flag))
    }

    /// All quoted bytes, up to what the call wrote.
    pub fn data(&self) -> Vec<u8> {
        let mut data: Vec<u8> = Vec::new();
        for (index, piece) in self.arguments.join(",").split('"').enumerate() {
            if index % 2 == 1 {
                data.extend(bytes(piece));
            }
        }
        data.truncate(usize::try_from(self.result).unwrap_or_default());
        data
    }
}

/// All successful calls in the order of their ends.
pub fn read(file: &Path) -> Vec<Call> {
    let trace = std::fs::read_to_string(file).expect("strace has written its file");
    let mut calls = Vec::new();
    let mut unfinished: HashMap<&str, (usize, &str)> = HashMap::new();
    let mut directories: HashMap<&str, PathBuf> = HashMap::new();
    for (line_number, line) in trace.lines().enumerate() {
        let (process, rest) = line.split_once(' ').expect("each line begins with a process");
        let rest = rest.trim_start();
        if let Some(begun) = rest.strip_suffix(" <unfinished ...>") {
            unfinished.insert(process, (line_number, begun));
            continue;
        }
        let (begun_at, whole) = match rest.strip_prefix("<... ") {
            Some(resumed) => {
                let (begun_at, begun) = unfinished.remove(process).expect("what is resumed was begun");
                (begun_at, format!("{begun}{}", resumed.split_once(" resumed>").expect("a resumed call").1))
            }
            None => (line_number, rest.to_owned()),
        };
        let Some(mut call) = parse(&whole) else { continue };
        (call.begun_at, call.ended_at) = (begun_at, line_number);
        call.working_directory = directories.get(process).cloned();
        if call.name == "chdir" {
            directories.insert(process, call.path(0).expect("a directory"));
        }
        calls.push(call);
    }
    calls
}

fn parse(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    let (arguments, result) = rest.rsplit_once(") ")?;
    // A descriptor is followed by its path, an error by its name; a failed call changed nothing.
    let result = result.trim_start().strip_prefix("= ")?.split(['<', ' ']).next()?.parse().ok()?;
    let arguments = arguments.split(", ").map(str::to_owned).collect();
    let call = Call { name: name.into(), arguments, result, begun_at: 0, ended_at: 0, working_directory: None };
    (result >= 0).then_some(call)
}

fn text(hex: &str) -> String {
    String::from_utf8(bytes(hex)).expect("our paths are text")
}

/// The bytes of `\x2f\x74…`.
fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.split("\\x").skip(1);
    digits.map(|digits| u8::from_str_radix(&digits[..2], 16).expect("two digits")).collect()
}
