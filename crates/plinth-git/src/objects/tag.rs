//! Annotated tags.

use super::RawObject;
use super::identity::Identity;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{ObjectKind, RefName, Sha};

/// A parsed annotated tag; the message includes the signature, if there is one, as git shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub name: String,
    pub target_id: Sha,
    pub target_kind: ObjectKind,
    pub tagger: Option<Identity>,
    pub message: String,
    pub signature: Option<String>,
}

impl Tag {
    pub(crate) fn parse(data: &[u8]) -> Result<Self> {
        let tag = gix_object::TagRef::from_bytes(data, gix_hash::Kind::Sha1).map_err(crate::broken)?;
        let body = data.windows(2).position(|pair| pair == b"\n\n").map_or(&[][..], |end| &data[end + 2..]);
        Ok(Self {
            name: tag.name.to_string(),
            target_id: crate::to_sha(&tag.target()),
            target_kind: super::from_gix(tag.target_kind),
            tagger: tag.tagger().ok().flatten().map(Identity::from_gix),
            message: String::from_utf8_lossy(body).into_owned(),
            signature: tag.signature.map(ToString::to_string),
        })
    }
}

/// The content of a new annotated tag.
#[derive(Debug, Clone)]
pub struct NewTag {
    pub name: String,
    pub target_id: Sha,
    pub target_kind: ObjectKind,
    pub tagger: Identity,
    pub message: String,
}

impl NewTag {
    /// Serializes the tag as git does. The caller must check that the target exists.
    pub fn to_object(&self) -> Result<RawObject> {
        self.tagger.check()?;
        if RefName::parse(&format!("refs/tags/{}", self.name)).is_err() {
            return Err(Error::unprocessable("The name of the tag is not well formed."));
        }
        if self.message.contains('\0') {
            return Err(Error::unprocessable("A tag message may not contain a NUL byte."));
        }
        let ends_line = self.message.is_empty() || self.message.ends_with('\n');
        let text = format!(
            "object {}\ntype {}\ntag {}\ntagger {}\n\n{}{}",
            self.target_id,
            self.target_kind,
            self.name,
            self.tagger,
            self.message,
            if ends_line { "" } else { "\n" },
        );
        RawObject::new(ObjectKind::Tag, text.into_bytes())
    }
}
