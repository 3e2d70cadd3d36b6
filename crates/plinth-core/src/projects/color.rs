//! The eight colours of options; issue fields write them in lower case, project fields in upper case.

use std::str::FromStr;

use plinth_store::text_column;

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    Gray,
    Blue,
    Green,
    Yellow,
    Orange,
    Red,
    Pink,
    Purple,
}

impl Color {
    const ALL: [Color; 8] =
        [Color::Gray, Color::Blue, Color::Green, Color::Yellow, Color::Orange, Color::Red, Color::Pink, Color::Purple];
    /// In the order and case of issue fields.
    pub const LOWER: [&'static str; 8] = ["gray", "blue", "green", "yellow", "orange", "red", "pink", "purple"];
    /// In the order and case of project fields.
    pub const UPPER: [&'static str; 8] = ["BLUE", "GRAY", "GREEN", "ORANGE", "PINK", "PURPLE", "RED", "YELLOW"];

    /// The form in issue fields and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Color::Gray => "gray",
            Color::Blue => "blue",
            Color::Green => "green",
            Color::Yellow => "yellow",
            Color::Orange => "orange",
            Color::Red => "red",
            Color::Pink => "pink",
            Color::Purple => "purple",
        }
    }

    /// The form in project fields.
    pub fn upper(self) -> &'static str {
        match self {
            Color::Gray => "GRAY",
            Color::Blue => "BLUE",
            Color::Green => "GREEN",
            Color::Yellow => "YELLOW",
            Color::Orange => "ORANGE",
            Color::Red => "RED",
            Color::Pink => "PINK",
            Color::Purple => "PURPLE",
        }
    }

    /// Parses the form in project fields.
    pub fn from_upper(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|color| color.upper() == text)
    }
}

impl FromStr for Color {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|color| color.as_str() == text).ok_or(())
    }
}

text_column!(Color);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_name_every_color() {
        for color in Color::ALL {
            assert!(Color::LOWER.contains(&color.as_str()) && Color::UPPER.contains(&color.upper()));
            assert_eq!(color.as_str().parse(), Ok(color));
            assert_eq!(Color::from_upper(color.upper()), Some(color));
            assert_eq!(Color::from_upper(color.as_str()), None);
        }
    }
}
