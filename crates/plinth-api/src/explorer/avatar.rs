//! Pictures of accounts: five by five squares in one colour, the same on both sides.

use std::fmt::Write;

use aws_lc_rs::digest::{SHA256, digest};

use plinth_base::ids::AccountId;

const SIDE: usize = 5;
/// The columns that depend on the hash; the others mirror them.
const FREE_COLUMNS: usize = SIDE.div_ceil(2);
const HUE_STEPS: u32 = 360;

/// The picture of an account as SVG. The same account has the same picture everywhere.
pub fn draw(id: AccountId) -> String {
    let hash = digest(&SHA256, &id.0.to_be_bytes());
    let bytes = hash.as_ref();
    let hue = (u32::from(bytes[30]) * 256 + u32::from(bytes[31])) % HUE_STEPS;
    let mut path = String::new();
    for row in 0..SIDE {
        for column in 0..SIDE {
            let source = column.min(SIDE - 1 - column);
            if bytes[row * FREE_COLUMNS + source] % 2 == 0 {
                write!(path, "M{column} {row}h1v1h-1z").expect("writing to a string always succeeds");
            }
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 -1 7 7\" width=\"420\" height=\"420\" \
         shape-rendering=\"crispEdges\"><path fill=\"#f3f3ef\" d=\"M-1-1h7v7h-7z\"/>\
         <path fill=\"hsl({hue},45%,50%)\" d=\"{path}\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_one_picture_and_another_account_another() {
        assert_eq!(draw(AccountId(1)), draw(AccountId(1)));
        let pictures: std::collections::BTreeSet<String> = (1..200).map(|id| draw(AccountId(id))).collect();
        assert_eq!(pictures.len(), 199);
    }

    #[test]
    fn the_left_mirrors_the_right() {
        let picture = draw(AccountId(7));
        for row in 0..SIDE {
            for column in 0..SIDE {
                let has = |column: usize| picture.contains(&format!("M{column} {row}h1"));
                assert_eq!(has(column), has(SIDE - 1 - column));
            }
        }
    }
}
