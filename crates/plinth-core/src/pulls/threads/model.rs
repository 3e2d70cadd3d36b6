//! Threads as they are stored.

use super::bytes;
use crate::pulls::model::Version;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{PullId, Sha};
use plinth_git::diff::{Anchor, Reanchored, Side, Subject};
use plinth_store::{DbError, FromRow, Row};

/// A thread to insert, with its anchor.
#[derive(Debug, Clone)]
pub struct NewThread {
    pub anchor: Anchor,
    /// The path in responses.
    pub path: String,
    pub position: Option<u32>,
    pub diff_hunk: Vec<u8>,
}

impl NewThread {
    /// The thread as it is stored.
    pub fn stored(&self, id: i64, pull_id: PullId, version: i64) -> Thread {
        let (end, start) = self.lines();
        Thread {
            id,
            pull_id,
            version,
            base_sha: self.anchor.base,
            head_sha: self.anchor.head,
            old_path: self.anchor.old_path.clone(),
            new_path: self.anchor.new_path.clone(),
            path: self.path.clone(),
            side: end.map(|(side, _)| side.to_owned()),
            line: end.map(|(_, line)| line),
            start_side: start.map(|(side, _)| side.to_owned()),
            start_line: start.map(|(_, line)| line),
            position: self.position.map(i64::from),
            diff_hunk: self.diff_hunk.clone(),
        }
    }

    /// The last and the first line, if the subject has lines.
    pub fn lines(&self) -> (Option<Line>, Option<Line>) {
        let named = |(side, line): (Side, u32)| (side_name(side), i64::from(line));
        match self.anchor.subject {
            Subject::File => (None, None),
            Subject::Line { side, line, start } => (Some(named((side, line))), start.map(named)),
        }
    }
}

/// The name of a side and a line on it.
type Line = (&'static str, i64);

/// A thread with its anchor, which never changes.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Thread {
    pub id: i64,
    pub pull_id: PullId,
    /// The pull request version in which the thread was started.
    pub version: i64,
    pub base_sha: Sha,
    pub head_sha: Sha,
    #[serde(with = "bytes::optional")]
    pub old_path: Option<Vec<u8>>,
    #[serde(with = "bytes::optional")]
    pub new_path: Option<Vec<u8>>,
    pub path: String,
    pub side: Option<String>,
    pub line: Option<i64>,
    pub start_side: Option<String>,
    pub start_line: Option<i64>,
    pub position: Option<i64>,
    #[serde(with = "bytes")]
    pub diff_hunk: Vec<u8>,
}

impl FromRow for Thread {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Self::from_columns(row, 0)
    }
}

impl Thread {
    /// The number of columns of a thread in a select list.
    pub const COLUMNS: usize = 14;

    /// Reads the columns from `first` on.
    pub fn from_columns(row: &Row<'_>, first: usize) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get(first)?,
            pull_id: row.get(first + 1)?,
            version: row.get(first + 2)?,
            base_sha: row.get(first + 3)?,
            head_sha: row.get(first + 4)?,
            old_path: row.get(first + 5)?,
            new_path: row.get(first + 6)?,
            path: row.get(first + 7)?,
            side: row.get(first + 8)?,
            line: row.get(first + 9)?,
            start_side: row.get(first + 10)?,
            start_line: row.get(first + 11)?,
            position: row.get(first + 12)?,
            diff_hunk: row.get(first + 13)?,
        })
    }

    /// The position in the version that the thread was started in, which is the anchor; `None` for any other version.
    pub fn position_in(&self, version: &Version) -> Option<Position> {
        let is_same = (version.merge_base, version.head_sha) == (Some(self.base_sha), self.head_sha);
        is_same.then(|| {
            let location = DiffLocation {
                path: self.path.clone(),
                line: self.line,
                start_side: self.start_side.as_deref().and_then(side_of).map(side_name),
                start_line: self.start_line,
                position: self.position,
            };
            Position { commit: self.head_sha, location: Some(location) }
        })
    }

    pub fn is_about_file(&self) -> bool {
        self.line.is_none()
    }

    pub fn anchor(&self) -> Result<Anchor> {
        let subject = match (self.side.as_deref(), self.line) {
            (Some(side), Some(line)) => Subject::Line {
                side: side_of(side).ok_or_else(bad_row)?,
                line: u32::try_from(line).map_err(|_| bad_row())?,
                start: self.start()?,
            },
            _ => Subject::File,
        };
        let (old_path, new_path) = (self.old_path.clone(), self.new_path.clone());
        Ok(Anchor { base: self.base_sha, head: self.head_sha, old_path, new_path, subject })
    }

    fn start(&self) -> Result<Option<(Side, u32)>> {
        let (Some(side), Some(line)) = (&self.start_side, self.start_line) else { return Ok(None) };
        Ok(Some((side_of(side).ok_or_else(bad_row)?, u32::try_from(line).map_err(|_| bad_row())?)))
    }
}

fn bad_row() -> Error {
    Error::internal("a thread in the store names no line")
}

/// The name of a side in the API and in the store.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::Left => "LEFT",
        Side::Right => "RIGHT",
    }
}

/// The side with this name, in upper or lower case.
pub fn side_of(word: &str) -> Option<Side> {
    [Side::Left, Side::Right].into_iter().find(|side| side_name(*side).eq_ignore_ascii_case(word))
}

/// The position of a thread in one pull request version.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// The head of that version; for an outdated thread, the last head that had its location.
    pub commit: Sha,
    /// `None` if the thread is outdated.
    pub location: Option<DiffLocation>,
}

/// File and lines in a diff; without lines for a whole file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DiffLocation {
    pub path: String,
    pub line: Option<i64>,
    pub start_side: Option<&'static str>,
    pub start_line: Option<i64>,
    pub position: Option<i64>,
}

/// As [`DiffLocation`] is read: the names of sides are constants of this program.
#[derive(serde::Deserialize)]
struct ReadLocation {
    path: String,
    line: Option<i64>,
    start_side: Option<String>,
    start_line: Option<i64>,
    position: Option<i64>,
}

impl<'de> serde::Deserialize<'de> for DiffLocation {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ReadLocation { path, line, start_side, start_line, position } = ReadLocation::deserialize(deserializer)?;
        let start_side = start_side.and_then(|word| side_of(&word)).map(side_name);
        Ok(Self { path, line, start_side, start_line, position })
    }
}

impl DiffLocation {
    pub fn of(port: &Reanchored) -> Option<Self> {
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        match port {
            Reanchored::Current { path, line, start, position, .. } => Some(Self {
                path: text(path),
                line: Some(i64::from(*line)),
                start_side: start.map(|(side, _)| side_name(side)),
                start_line: start.map(|(_, line)| i64::from(line)),
                position: Some(i64::from(*position)),
            }),
            Reanchored::CurrentFile { path } => {
                Some(Self { path: text(path), line: None, start_side: None, start_line: None, position: None })
            }
            Reanchored::Outdated => None,
        }
    }
}

/// A position as it is stored.
#[derive(Debug, Clone)]
pub struct StoredPosition(pub Position);

impl StoredPosition {
    /// The number of columns of a position in a select list.
    pub const COLUMNS: usize = 6;

    /// `None` if no row was joined.
    pub fn from_columns(row: &Row<'_>, first: usize) -> Result<Option<Position>, DbError> {
        let Some(commit) = row.get::<Option<Sha>>(first)? else { return Ok(None) };
        let Some(path) = row.get::<Option<String>>(first + 1)? else {
            return Ok(Some(Position { commit, location: None }));
        };
        let start_side = row.get::<Option<String>>(first + 3)?.and_then(|word| side_of(&word));
        let location = DiffLocation {
            path,
            line: row.get(first + 2)?,
            start_side: start_side.map(side_name),
            start_line: row.get(first + 4)?,
            position: row.get(first + 5)?,
        };
        Ok(Some(Position { commit, location: Some(location) }))
    }
}

impl FromRow for StoredPosition {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Self::from_columns(row, 0)?.map(Self).ok_or(DbError::NoRow)
    }
}
