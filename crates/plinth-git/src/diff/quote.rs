//! Paths as git prints them: odd ones in quotes, with C escapes.

/// `prefix` and `path` as one name, quoted if need be.
pub(super) fn path(prefix: &str, path: &[u8]) -> Vec<u8> {
    let mut name = prefix.as_bytes().to_vec();
    if !path.iter().copied().any(needs_escape) {
        name.extend_from_slice(path);
        return name;
    }
    name.insert(0, b'"');
    for &byte in path {
        match byte {
            byte if !needs_escape(byte) => name.push(byte),
            b'"' | b'\\' => name.extend([b'\\', byte]),
            7..=13 => name.extend([b'\\', b"abtnvfr"[usize::from(byte - 7)]]),
            byte => name.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    name.push(b'"');
    name
}

fn needs_escape(byte: u8) -> bool {
    !(b' '..0x7f).contains(&byte) || byte == b'"' || byte == b'\\'
}
