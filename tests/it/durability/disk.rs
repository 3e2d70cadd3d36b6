//! A model disk that loses everything unsynced, as a power cut may.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::trace::Call;

/// Log files in the same directory, which are not data.
const STANDARD_STREAMS: [i64; 3] = [0, 1, 2];

/// What a power cut loses: a file system may lose both, or keep names of files whose content it loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    NamesAndContent,
    Content,
}

/// A value as programs see it, and as it would be after a power cut.
#[derive(Debug, Clone, Default, PartialEq)]
struct Twice<T> {
    seen: T,
    durable: T,
}

#[derive(Debug, Clone)]
enum Node {
    File(Twice<Vec<u8>>),
    Directory(Twice<BTreeMap<String, usize>>),
}

/// Everything below one directory, whose own name is durable. The first node is that directory.
#[derive(Debug, Clone)]
pub struct Disk {
    root: PathBuf,
    nodes: Vec<Node>,
    /// The offset of each open file.
    positions: HashMap<(i64, PathBuf), usize>,
    appending: HashMap<(i64, PathBuf), bool>,
    /// Syncs in progress, with what they will make durable.
    syncing: HashMap<usize, (usize, Node)>,
}

impl Disk {
    /// The directory as it is, all of it durable.
    pub fn load(root: &Path) -> Self {
        let root = fs::canonicalize(root).expect("the directory exists");
        let nodes = vec![Node::Directory(Twice::default())];
        let mut disk =
            Self { root, nodes, positions: HashMap::new(), appending: HashMap::new(), syncing: HashMap::new() };
        let entries = disk.load_directory(&disk.root.clone());
        disk.nodes[0] = Node::Directory(Twice { seen: entries.clone(), durable: entries });
        disk
    }

    fn load_directory(&mut self, directory: &Path) -> BTreeMap<String, usize> {
        let mut entries = BTreeMap::new();
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let node = if path.is_dir() {
                let entries = self.load_directory(&path);
                Node::Directory(Twice { seen: entries.clone(), durable: entries })
            } else {
                let content = fs::read(&path).expect("a file");
                Node::File(Twice { seen: content.clone(), durable: content })
            };
            entries.insert(name_of(&path), self.add(node));
        }
        entries
    }

    /// Applies the start of a call: a sync covers what existed then.
    pub fn begin(&mut self, call: &Call) {
        if matches!(call.name.as_str(), "fsync" | "fdatasync")
            && !call.is_deleted()
            && let Some(node) = call.path(0).and_then(|path| self.find(&path))
        {
            self.syncing.insert(call.begun_at, (node, self.nodes[node].clone()));
        }
    }

    /// Applies the end of a call.
    pub fn end(&mut self, call: &Call) {
        match call.name.as_str() {
            "fsync" | "fdatasync" => self.finish_sync(call.begun_at),
            "open" | "creat" => self.open(call, call.path(0), 1),
            "openat" => self.open(call, call.path_at(1), 2),
            "read" => self.advance(call),
            "lseek" => self.seek(call, usize::try_from(call.result).expect("a position")),
            "write" | "writev" if !call.is_deleted() => {
                self.write(call, None);
                self.advance(call);
            }
            "pwrite64" if !call.is_deleted() => self.write(call, call.number(3)),
            "ftruncate" if !call.is_deleted() => self.truncate(call.path(0), call.number(1)),
            "rename" => self.rename(call.path(0), call.path(1)),
            "renameat" | "renameat2" => self.rename(call.path_at(1), call.path_at(3)),
            "link" => self.link(call.path(0), call.path(1)),
            "linkat" => self.link(call.path_at(1), call.path_at(3)),
            "mkdir" => self.make_directory(call.path(0)),
            "mkdirat" => self.make_directory(call.path_at(1)),
            "unlink" | "rmdir" => self.remove(call.path(0)),
            "unlinkat" => self.remove(call.path_at(1)),
            "pwritev" | "pwritev2" | "truncate" | "fallocate" | "copy_file_range" | "symlink" | "symlinkat" => {
                let paths = [call.path(0), call.path(1), call.path(2)];
                assert!(!paths.into_iter().flatten().any(|path| self.holds(&path)), "not known here: {call:?}");
            }
            _ => {}
        }
    }

    /// Whether the path is on this disk.
    pub fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.root)
    }

    /// Writes what would survive into an empty directory.
    pub fn write_after_cut(&self, loss: Loss, target: &Path) {
        self.write_directory(0, loss, target);
    }

    fn write_directory(&self, node: usize, loss: Loss, target: &Path) {
        fs::create_dir_all(target).expect("a directory can be created");
        let Node::Directory(entries) = &self.nodes[node] else { panic!("{} is no directory", target.display()) };
        let entries = if loss == Loss::Content { &entries.seen } else { &entries.durable };
        for (name, node) in entries {
            match &self.nodes[*node] {
                Node::Directory(_) => self.write_directory(*node, loss, &target.join(name)),
                // Shared memory, which SQLite recreates when the first process opens the database.
                Node::File(_) if name.ends_with("-shm") => {}
                Node::File(content) => fs::write(target.join(name), &content.durable).expect("a file"),
            }
        }
    }

    fn open(&mut self, call: &Call, path: Option<PathBuf>, flags: usize) {
        let Some(path) = path.filter(|path| self.holds(path)) else { return };
        let node = match self.find(&path) {
            Some(node) => node,
            None => {
                let node = self.add(Node::File(Twice::default()));
                self.name(&path, node);
                node
            }
        };
        if call.says(flags, "O_TRUNC")
            && let Node::File(content) = &mut self.nodes[node]
        {
            content.seen.clear();
        }
        self.positions.insert((call.result, path.clone()), 0);
        self.appending.insert((call.result, path), call.says(flags, "O_APPEND"));
    }

    fn seek(&mut self, call: &Call, position: usize) {
        if let (Some(file), Some(path)) = (call.file(), call.path(0).filter(|path| self.holds(path))) {
            self.positions.insert((file, path), position);
        }
    }

    fn advance(&mut self, call: &Call) {
        let Some(position) = self.position(call) else { return };
        self.seek(call, position + usize::try_from(call.result).expect("a count"));
    }

    /// A file that was renamed while it was open is found by its descriptor.
    fn position(&self, call: &Call) -> Option<usize> {
        self.positions.get(&(call.file()?, call.path(0)?)).copied()
    }

    fn write(&mut self, call: &Call, at: Option<u64>) {
        let Some(path) = call.path(0).filter(|path| self.holds(path)) else { return };
        if call.file().is_some_and(|file| STANDARD_STREAMS.contains(&file)) {
            return;
        }
        let node = self.find(&path).unwrap_or_else(|| panic!("written, but never made: {}", path.display()));
        let position = self.position(call);
        let appends = self.appending.get(&(call.file().expect("an open file"), path)).copied().unwrap_or_default();
        let Node::File(content) = &mut self.nodes[node] else { panic!("a directory is written: {call:?}") };
        let start = match at {
            Some(at) => usize::try_from(at).expect("a position"),
            None if appends => content.seen.len(),
            None => position.unwrap_or_else(|| panic!("nobody knows where this goes: {call:?}")),
        };
        let data = call.data();
        assert_eq!(i64::try_from(data.len()), Ok(call.result), "the trace has truncated the data");
        content.seen.resize(content.seen.len().max(start + data.len()), 0);
        content.seen[start..start + data.len()].copy_from_slice(&data);
    }

    fn truncate(&mut self, path: Option<PathBuf>, length: Option<u64>) {
        let Some(node) = path.and_then(|path| self.find(&path)) else { return };
        let Node::File(content) = &mut self.nodes[node] else { return };
        content.seen.resize(usize::try_from(length.expect("a length")).expect("it fits"), 0);
    }

    fn finish_sync(&mut self, begun_at: usize) {
        let Some((node, then)) = self.syncing.remove(&begun_at) else { return };
        match (&mut self.nodes[node], then) {
            (Node::File(now), Node::File(then)) => now.durable = then.seen,
            (Node::Directory(now), Node::Directory(then)) => now.durable = then.seen,
            _ => panic!("a file became a directory"),
        }
    }

    fn rename(&mut self, from: Option<PathBuf>, to: Option<PathBuf>) {
        let (Some(from), Some(to)) = (from, to) else { return };
        let Some(node) = self.find(&from) else { return };
        self.remove(Some(from.clone()));
        self.name(&to, node);
        let moved: Vec<_> =
            self.positions.iter().filter(|((_, path), _)| *path == from).map(|(key, at)| (key.0, *at)).collect();
        for (file, position) in moved {
            self.positions.insert((file, to.clone()), position);
        }
    }

    fn link(&mut self, from: Option<PathBuf>, to: Option<PathBuf>) {
        let Some(node) = from.and_then(|path| self.find(&path)) else { return };
        self.name(&to.expect("a link has a name"), node);
    }

    fn make_directory(&mut self, path: Option<PathBuf>) {
        let Some(path) = path.filter(|path| self.holds(path)) else { return };
        let node = self.add(Node::Directory(Twice::default()));
        self.name(&path, node);
    }

    fn remove(&mut self, path: Option<PathBuf>) {
        let Some(path) = path.filter(|path| self.holds(path)) else { return };
        if let Some(entries) = self.entries_beside(&path) {
            entries.remove(&name_of(&path));
        }
    }

    fn name(&mut self, path: &Path, node: usize) {
        let name = name_of(path);
        let entries = self.entries_beside(path).unwrap_or_else(|| panic!("no directory for {}", path.display()));
        entries.insert(name, node);
    }

    fn entries_beside(&mut self, path: &Path) -> Option<&mut BTreeMap<String, usize>> {
        let node = self.find(path.parent()?)?;
        match &mut self.nodes[node] {
            Node::Directory(entries) => Some(&mut entries.seen),
            Node::File(_) => None,
        }
    }

    fn find(&self, path: &Path) -> Option<usize> {
        let below = path.strip_prefix(&self.root).ok()?;
        below.components().try_fold(0, |node, part| match (&self.nodes[node], part) {
            (Node::Directory(entries), Component::Normal(name)) => entries.seen.get(name.to_str()?).copied(),
            _ => None,
        })
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a name").to_str().expect("our names are text").to_owned()
}
