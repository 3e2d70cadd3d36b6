//! Ref names and object kinds as columns.

use super::{Column, DbError, Parameter, Value};
use plinth_base::ids::{ObjectKind, RefName};

impl Column for RefName {
    type Raw = String;

    fn from_raw(raw: String) -> Result<Self, DbError> {
        RefName::parse(&raw).map_err(|error| DbError::Fault(format!("{raw:?} in the store: {error}").into()))
    }
}

impl Parameter for RefName {
    fn value(&self) -> Value<'_> {
        Value::Text(self.as_str())
    }
}

impl Column for ObjectKind {
    type Raw = String;

    fn from_raw(raw: String) -> Result<Self, DbError> {
        [ObjectKind::Commit, ObjectKind::Tag, ObjectKind::Tree, ObjectKind::Blob]
            .into_iter()
            .find(|kind| kind.as_str() == raw)
            .ok_or_else(|| DbError::Fault(format!("unknown kind of object {raw:?} in the store").into()))
    }
}

impl Parameter for ObjectKind {
    fn value(&self) -> Value<'_> {
        Value::Text(self.as_str())
    }
}
