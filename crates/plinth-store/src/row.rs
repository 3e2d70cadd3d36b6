//! Rows read by type, in the order of the select list.

use rusqlite::types::ValueRef;

use super::DbError;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{self, Sha};

/// One row of either engine.
pub enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    /// The id of a row that was just inserted.
    Inserted(i64),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    /// The value at `index` of the select list.
    pub fn get<T: Column>(&self, index: usize) -> Result<T, DbError> {
        let raw = match self {
            Row::Sqlite(row) => T::Raw::from_sqlite(row.get_ref(index)?)?,
            Row::Inserted(id) if index == 0 => T::Raw::from_sqlite(ValueRef::Integer(*id))?,
            Row::Inserted(_) => return Err(DbError::NoRow),
            Row::Postgres(row) => row.try_get(index)?,
        };
        T::from_raw(raw)
    }
}

/// A type that is read from a row.
pub trait FromRow: Sized + Send {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError>;
}

/// Implements [`FromRow`] for a struct whose fields are in the order of its select list.
#[macro_export]
macro_rules! from_row {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::FromRow for $type {
            fn from_row(row: &$crate::Row<'_>) -> Result<Self, $crate::DbError> {
                let mut index = 0..;
                $(let $field = row.get(index.next().expect("the range has no end"))?;)*
                Ok(Self { $($field),* })
            }
        }
    };
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Column + Send),*> FromRow for ($($name,)*) {
            fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
                Ok(($(row.get::<$name>($index)?,)*))
            }
        }
    };
}
tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);

/// A type that is read from a column.
pub trait Column: Sized {
    type Raw: RawColumn;

    fn from_raw(raw: Self::Raw) -> Result<Self, DbError>;
}

/// The types that both databases store.
pub trait RawColumn: Sized + for<'a> tokio_postgres::types::FromSql<'a> {
    fn from_sqlite(value: ValueRef<'_>) -> Result<Self, DbError>;
}

macro_rules! raw {
    ($type:ty) => {
        impl RawColumn for $type {
            fn from_sqlite(value: ValueRef<'_>) -> Result<Self, DbError> {
                rusqlite::types::FromSql::column_result(value).map_err(|error| DbError::Fault(error.into()))
            }
        }

        impl Column for $type {
            type Raw = $type;

            fn from_raw(raw: $type) -> Result<Self, DbError> {
                Ok(raw)
            }
        }
    };
}
raw!(i64);
raw!(bool);
raw!(String);
raw!(Vec<u8>);

impl<R: RawColumn> RawColumn for Option<R> {
    fn from_sqlite(value: ValueRef<'_>) -> Result<Self, DbError> {
        match value {
            ValueRef::Null => Ok(None),
            present => R::from_sqlite(present).map(Some),
        }
    }
}

impl<T: Column> Column for Option<T> {
    type Raw = Option<T::Raw>;

    fn from_raw(raw: Self::Raw) -> Result<Self, DbError> {
        raw.map(T::from_raw).transpose()
    }
}

impl Column for Timestamp {
    type Raw = i64;

    fn from_raw(raw: i64) -> Result<Self, DbError> {
        Ok(Timestamp(raw))
    }
}

impl Column for Sha {
    type Raw = Vec<u8>;

    fn from_raw(raw: Vec<u8>) -> Result<Self, DbError> {
        let bytes = raw.try_into().map_err(|_| DbError::Fault("an object name has twenty bytes".into()))?;
        Ok(Sha::from_bytes(bytes))
    }
}

/// Makes numeric ids storable.
macro_rules! integer_column {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::Column for $type {
            type Raw = i64;

            fn from_raw(raw: i64) -> Result<Self, $crate::DbError> {
                Ok(Self(raw))
            }
        }

        impl $crate::Parameter for $type {
            fn value(&self) -> $crate::Value<'_> {
                $crate::Value::Integer(self.0)
            }
        }
    )*};
}
integer_column!(
    ids::AccountId,
    ids::RepoId,
    ids::AppId,
    ids::InstallationId,
    ids::TokenId,
    ids::ProjectId,
    ids::ProjectFieldId,
    ids::ProjectItemId,
    ids::IssueFieldId,
    ids::IssueFieldOptionId,
    ids::PullId,
    ids::IssueId,
    ids::IssueCommentId,
    ids::LabelId,
    ids::ReviewId,
    ids::CommentId,
    ids::NotificationId,
    ids::WebhookId,
    ids::EventId,
    ids::MessageId,
    ids::DeliveryId,
    ids::StatusId,
    ids::ReleaseId,
    ids::AssetId,
);

/// Makes enums storable as text, by `as_str` and `FromStr`.
#[macro_export]
macro_rules! text_column {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::Column for $type {
            type Raw = String;

            fn from_raw(raw: String) -> Result<Self, $crate::DbError> {
                raw.parse().map_err(|_| $crate::DbError::Fault(format!("unknown value {raw:?} in the store").into()))
            }
        }

        impl $crate::Parameter for $type {
            fn value(&self) -> $crate::Value<'_> {
                $crate::Value::Text(self.as_str())
            }
        }
    )*};
}
