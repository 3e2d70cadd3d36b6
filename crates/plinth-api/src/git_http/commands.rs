//! The commands of a push: the lines before its pack.

use plinth_core::ref_updates::push::Command;
use std::io::{self, Read};

use plinth_base::error::{Error, Result};
use plinth_git::pkt_line::{self, Packet};

const COMMANDS_MAX: usize = 64 * 1024;
const OPTIONS_MAX: usize = 1_024;
const BYTES_MAX: usize = 8 * 1024 * 1024;
const NO_OBJECT: &str = "0000000000000000000000000000000000000000";

/// The commands, and the form in which the client wants the report.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Commands {
    pub list: Vec<Command>,
    pub report: bool,
    pub side_band: bool,
    pub atomic: bool,
    /// Whether push options come after the commands.
    pub has_options: bool,
}

impl Commands {
    /// Reads up to the pack. A client that only tests its credential sends no commands.
    pub fn read(input: &mut dyn Read) -> Result<Self> {
        let mut commands = Self::default();
        read_lines(input, COMMANDS_MAX, |line| commands.take_line(line))?;
        if commands.has_options {
            // No option has a meaning here, as at GitHub, but scripts send some to every server.
            read_lines(input, OPTIONS_MAX, |_| Ok(()))?;
        }
        Ok(commands)
    }

    pub fn needs_pack(&self) -> bool {
        self.list.iter().any(|command| command.new.is_some())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<()> {
        // Where the client's history is shallow does not matter: what it pushes must be complete here.
        if line.starts_with(b"shallow ") {
            return Ok(());
        }
        if line.starts_with(b"push-cert") {
            return Err(Error::BadRequest("Signed pushes are not offered here.".into()));
        }
        let (line, capabilities) = match line.iter().position(|byte| *byte == 0) {
            Some(end) => (&line[..end], Some(&line[end + 1..])),
            None => (line, None),
        };
        if let Some(capabilities) = capabilities.filter(|_| self.list.is_empty()) {
            self.take_capabilities(capabilities)?;
        }
        self.list.push(parse(line).ok_or_else(malformed)?);
        Ok(())
    }

    fn take_capabilities(&mut self, capabilities: &[u8]) -> Result<()> {
        for capability in capabilities.split(|byte| *byte == b' ') {
            match capability {
                b"report-status" | b"report-status-v2" => self.report = true,
                b"side-band-64k" => self.side_band = true,
                b"atomic" => self.atomic = true,
                b"push-options" => self.has_options = true,
                other if other.starts_with(b"object-format=") && other != b"object-format=sha1" => {
                    return Err(Error::BadRequest("Only SHA-1 repositories are supported.".into()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Reads the lines up to a flush packet.
fn read_lines(input: &mut dyn Read, count_max: usize, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut buffer = Vec::new();
    let (mut bytes, mut count) = (0, 0);
    loop {
        let packet = pkt_line::read(input, &mut buffer).map_err(|error| unreadable(&error))?;
        let Some(line) = packet.as_line() else {
            return if packet == Packet::Flush { Ok(()) } else { Err(malformed()) };
        };
        bytes += line.len();
        if bytes > BYTES_MAX || count == count_max {
            return Err(Error::BodyTooLarge(BYTES_MAX));
        }
        count += 1;
        take(line)?;
    }
}

fn parse(line: &[u8]) -> Option<Command> {
    let text = String::from_utf8_lossy(line);
    let (old, rest) = text.split_once(' ')?;
    let (new, name) = rest.split_once(' ')?;
    let sha = |text: &str| if text == NO_OBJECT { Some(None) } else { text.parse().ok().map(Some) };
    Some(Command { name: name.to_owned(), old: sha(old)?, new: sha(new)? })
}

fn unreadable(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::TimedOut => Error::BadRequest("The push came too slowly.".into()),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => malformed(),
        _ => Error::BadRequest("The push ended early.".into()),
    }
}

fn malformed() -> Error {
    Error::BadRequest("The push is not in the form of Git's protocol.".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3";

    fn read(lines: &[&str]) -> Result<Commands> {
        let mut bytes = Vec::new();
        lines.iter().for_each(|line| pkt_line::put_line(&mut bytes, line));
        pkt_line::put_flush(&mut bytes);
        bytes.extend_from_slice(b"PACK");
        let mut input = bytes.as_slice();
        let commands = Commands::read(&mut input)?;
        assert_eq!(input, b"PACK");
        Ok(commands)
    }

    #[test]
    fn read_returns_commands_and_capabilities() {
        let first = format!("{NO_OBJECT} {A} refs/heads/main\0report-status atomic side-band-64k agent=git/2");
        let commands = read(&[&format!("shallow {A}"), &first, &format!("{A} {NO_OBJECT} refs/heads/x y")]);
        let commands = commands.expect("well formed");
        assert!(commands.report && commands.atomic && commands.side_band && commands.needs_pack());
        let names: Vec<&str> = commands.list.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(names, ["refs/heads/main", "refs/heads/x y"]);
        assert_eq!((commands.list[0].old, commands.list[1].new), (None, None));
        assert!(read(&[]).expect("a try").list.is_empty());
    }

    #[test]
    fn read_rejects_malformed_and_unsupported_lines() {
        for lines in [
            &["hello"][..],
            &[&format!("{A} {A}")],
            &[&format!("{A} zzz refs/heads/main")],
            &[&format!("{NO_OBJECT} {A} refs/heads/main\0object-format=sha256")],
            &["push-cert\0atomic"],
        ] {
            assert!(matches!(read(lines), Err(Error::BadRequest(_))), "{lines:?}");
        }
        assert!(matches!(Commands::read(&mut &b"0010abc"[..]), Err(Error::BadRequest(_))));
    }

    #[test]
    fn read_skips_push_options() {
        let mut bytes = Vec::new();
        pkt_line::put_line(&mut bytes, &format!("{NO_OBJECT} {A} refs/heads/main\0push-options"));
        pkt_line::put_flush(&mut bytes);
        ["a;b", "ci.skip"].iter().for_each(|option| pkt_line::put_line(&mut bytes, option));
        pkt_line::put_flush(&mut bytes);
        bytes.extend_from_slice(b"PACK");
        let mut input = bytes.as_slice();
        assert_eq!(Commands::read(&mut input).expect("well formed").list.len(), 1);
        assert_eq!(input, b"PACK");
        let mut many = bytes[..bytes.len() - 4].to_vec();
        many.truncate(many.len() - 4);
        (0..=OPTIONS_MAX).for_each(|_| pkt_line::put_line(&mut many, "x"));
        assert!(matches!(Commands::read(&mut many.as_slice()), Err(Error::BodyTooLarge(_))));
    }

    #[test]
    fn read_limits_the_number_of_commands() {
        let line = format!("{NO_OBJECT} {A} refs/heads/main");
        let lines = vec![line.as_str(); COMMANDS_MAX + 1];
        assert!(matches!(read(&lines), Err(Error::BodyTooLarge(_))));
    }
}
