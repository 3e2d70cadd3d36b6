//! Filters of partial clones: only those that cost git no more than a clone without one.

use plinth_base::error::{Error, Result};
use plinth_git::pkt_line::Packet;

/// The depth up to which trees may be asked for. Git walks a tree again for each depth at which it meets it, so that a
/// greater one costs more than the whole clone.
pub const TREE_DEPTH_MAX: u32 = 16;

/// Refuses a request with a filter that is not offered. Git would join several filters into a combined one.
///
/// `sparse:oid` matches every path against patterns of the client's choice, and `combine` runs as many filters over each
/// object as the client likes, which burns a core for as long as a clone may take.
pub fn check(packets: &[Packet<'_>]) -> Result<()> {
    let lines = packets.iter().filter_map(Packet::as_line);
    let mut filters = lines.filter_map(|line| line.strip_prefix(b"filter "));
    let Some(first) = filters.next() else { return Ok(()) };
    if filters.next().is_some() {
        return Err(Error::unprocessable("a request can have one filter"));
    }
    if is_offered(first) {
        return Ok(());
    }
    Err(Error::unprocessable(format!(
        "the filter is not offered here; use blob:none, blob:limit=<size> or tree:<depth> with a depth up to \
         {TREE_DEPTH_MAX}"
    )))
}

fn is_offered(filter: &[u8]) -> bool {
    let Ok(filter) = std::str::from_utf8(filter) else { return false };
    if let Some(size) = filter.strip_prefix("blob:limit=") {
        let digits = size.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G']).unwrap_or(size);
        return number(digits).is_some();
    }
    if let Some(depth) = filter.strip_prefix("tree:") {
        return number(depth).is_some_and(|depth| depth <= u64::from(TREE_DEPTH_MAX));
    }
    filter == "blob:none"
}

/// Decimal digits alone: git would read other bases too.
fn number(digits: &str) -> Option<u64> {
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_decimal.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_admitted(lines: &[&[u8]]) -> bool {
        let packets: Vec<Packet<'_>> = lines.iter().map(|line| Packet::Data(line)).collect();
        check(&packets).is_ok()
    }

    #[test]
    fn three_filters_are_offered_and_one_at_a_time() {
        for good in
            ["blob:none", "blob:limit=0", "blob:limit=10", "blob:limit=1k", "blob:limit=2G", "tree:0", "tree:16"]
        {
            assert!(is_admitted(&[b"command=fetch", format!("filter {good}\n").as_bytes()]), "{good}");
        }
        for bad in [
            "",
            "blob:limit=",
            "blob:limit=-1",
            "blob:limit=1t",
            "blob:limit=k",
            "blob:limit=99999999999999999999",
            "blob:nonee",
            "tree:17",
            "tree:020",
            "tree:0x0",
            "tree:-1",
            "tree: 1",
            "sparse:oid=main:filter",
            "sparse:path=a",
            "combine:blob:none+tree:1",
            "object:type=blob",
            "auto",
        ] {
            assert!(!is_admitted(&[b"command=fetch", format!("filter {bad}\n").as_bytes()]), "{bad}");
        }
        assert!(!is_admitted(&[b"filter blob:none", b"filter tree:0"]));
        assert!(!is_admitted(&[b"filter \xff"]));
        assert!(is_admitted(&[b"command=fetch", b"want x"]));
    }
}
