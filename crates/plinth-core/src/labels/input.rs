//! Input to create or change a label.

/// The body of `POST …/labels`, or a label that an issue gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLabel {
    pub name: String,
    /// Six hexadecimal digits.
    pub color: Option<String>,
    pub description: Option<String>,
}

impl NewLabel {
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), color: None, description: None }
    }
}

/// The body of `PATCH …/labels/{name}`; `None` means unchanged.
#[derive(Debug, Clone, Default)]
pub struct LabelChange {
    pub new_name: Option<String>,
    pub color: Option<String>,
    pub description: Option<Option<String>>,
}
