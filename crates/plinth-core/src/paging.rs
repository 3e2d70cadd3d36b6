//! Which part of a list is asked for.

/// A page of a list, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub number: i64,
    pub per_page: i64,
}

impl Page {
    pub fn limit(self) -> i64 {
        self.per_page
    }

    /// How many items come before this page.
    pub fn offset(self) -> i64 {
        self.number.saturating_sub(1).saturating_mul(self.per_page)
    }
}

/// A page of a list, by a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorPage {
    pub edge: Edge,
    pub per_page: i64,
}

/// Where the page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    Start,
    After(i64),
    Before(i64),
}
