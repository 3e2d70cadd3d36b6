//! Abbreviated object ids.

use plinth_base::error::Result;
use plinth_base::ids::{RepoId, Sha};

use super::{Objects, store};

/// As in git, fewer digits name no object.
const DIGITS_MIN: usize = 4;

impl Objects {
    /// The only object whose id begins with these digits; `None` if there is none or more than one, and for other texts.
    pub async fn find_by_prefix(&self, repo: RepoId, digits: &str) -> Result<Option<Sha>> {
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !is_hex || !(DIGITS_MIN..Sha::HEX_LENGTH).contains(&digits.len()) {
            return Ok(None);
        }
        let range = ["0", "f"].map(|rest| digits.to_owned() + &rest.repeat(Sha::HEX_LENGTH - digits.len()));
        let [Ok(first), Ok(last)] = range.map(|text| text.parse::<Sha>()) else { return Ok(None) };
        let loose = store::list_between(&mut self.0.store.read().await?, repo, (first, last)).await?;
        let digits = digits.to_ascii_lowercase();
        let Ok(packed) = self.read(repo, move |reader| reader.find_by_prefix(&digits)).await? else {
            return Ok(None);
        };
        // An object can be in both while it is moved into a pack.
        Ok(match (loose.as_slice(), packed) {
            ([], packed) => packed,
            ([(one,)], None) => Some(*one),
            ([(one,)], Some(packed)) if *one == packed => Some(packed),
            _ => None,
        })
    }
}
