//! The answer to a push: what became of the pack and of each name.

use super::commands::Commands;
use plinth_core::ref_updates::push::UpdateOutcome;
use plinth_git::pkt_line::{self, Band};

/// Longer texts are cut: no name that is accepted is as long.
const TEXT_LENGTH_MAX: usize = 2_048;

/// Writes the report in the form that the client asked for. `unpacked` says why a pack was rejected.
pub fn write(commands: &Commands, unpacked: Result<(), &str>, outcomes: &[UpdateOutcome]) -> Vec<u8> {
    if !commands.report {
        return Vec::new();
    }
    let mut report = Vec::new();
    match unpacked {
        Ok(()) => pkt_line::put_line(&mut report, "unpack ok"),
        Err(reason) => pkt_line::put_line(&mut report, &format!("unpack {}", on_one_line(reason))),
    }
    for (command, outcome) in commands.list.iter().zip(outcomes) {
        let name = on_one_line(&command.name);
        match outcome {
            Ok(()) => pkt_line::put_line(&mut report, &format!("ok {name}")),
            Err(rejection) => pkt_line::put_line(&mut report, &format!("ng {name} {rejection}")),
        }
    }
    pkt_line::put_flush(&mut report);
    if !commands.side_band {
        return report;
    }
    let mut out = Vec::new();
    pkt_line::put_band(&mut out, Band::Data, &report);
    pkt_line::put_flush(&mut out);
    out
}

fn on_one_line(text: &str) -> String {
    let harmless = |character: char| if character.is_control() { ' ' } else { character };
    text.chars().take(TEXT_LENGTH_MAX).map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plinth_core::ref_updates::push::{Command, UpdateRejection};

    #[test]
    fn each_name_has_its_line() {
        let command = |name: &str| Command { name: name.into(), old: None, new: None };
        let list = vec![command("refs/heads/a"), command("refs/heads/b\nc")];
        let commands = Commands { list, report: true, side_band: false, atomic: false };
        let report = write(&commands, Err("bad\npack"), &[Ok(()), Err(UpdateRejection::Stale)]);
        let text = String::from_utf8(report).expect("text");
        assert_eq!(
            text,
            "0014unpack bad pack\n0014ok refs/heads/a\n0040ng refs/heads/b c the name has moved meanwhile: fetch first\n0000"
        );
        assert!(write(&Commands { report: false, ..commands }, Ok(()), &[]).is_empty());
    }
}
