//! Which file is the README of a directory.

use plinth_base::error::Result;
use plinth_base::ids::Sha;
use plinth_git::{EntryMode, Reader, TreeLimits};

/// Where the README of a repository is looked for, in this order.
pub const DIRECTORIES: &[&str] = &[".github", "", "docs"];
/// Extensions, the preferred ones first.
const EXTENSIONS: &[&str] = &["md", "markdown", "mdown", "mkdn", "rst", "txt", ""];
const LIMITS: TreeLimits = TreeLimits { entries: 10_000, path_bytes: 4 << 20, recursive: false };

/// The path of the README in the first of the directories that has one.
pub fn find(reader: &Reader<'_>, root: Sha, directories: &[&str]) -> Result<Option<String>> {
    for directory in directories {
        let directory = directory.trim_matches('/');
        let tree_id = match directory {
            "" => Some(root),
            path => {
                let entry = reader.find_path(&root, path.as_bytes())?;
                entry.filter(|entry| entry.mode == EntryMode::Directory).map(|entry| entry.sha)
            }
        };
        let Some(tree_id) = tree_id else { continue };
        let listing = reader.list_tree(&tree_id, LIMITS)?.ok_or_else(|| reader.missing(&tree_id))?;
        let is_file = |mode| matches!(mode, EntryMode::File | EntryMode::Executable | EntryMode::Symlink);
        let files = listing.entries.iter().filter(|entry| is_file(entry.mode));
        let names = files.filter_map(|entry| std::str::from_utf8(&entry.path).ok());
        if let Some((_, name)) = names.filter_map(|name| Some((rank(name)?, name))).min() {
            return Ok(Some(if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }));
        }
    }
    Ok(None)
}

/// Lower is better; `None` if the file is no README.
fn rank(name: &str) -> Option<usize> {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let known = EXTENSIONS.iter().position(|known| known.eq_ignore_ascii_case(extension));
    stem.eq_ignore_ascii_case("readme").then(|| known.unwrap_or(EXTENSIONS.len()))
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn rank_prefers_markdown() {
        let mut names = ["README", "readme.de.md", "ReadMe.MD", "README.txt", "README.rst"];
        names.sort_by_key(|name| rank(name));
        assert_eq!(names, ["ReadMe.MD", "README.rst", "README.txt", "README", "readme.de.md"]);
        assert_eq!(rank("README-first.md"), None);
        assert_eq!(rank("READ.md"), None);
    }
}
