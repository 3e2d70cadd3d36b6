//! Parameters of statements, in the few types that both databases share.

use bytes::BytesMut;
use rusqlite::types::{ToSqlOutput, ValueRef};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use plinth_base::clock::Timestamp;
use plinth_base::ids::Sha;

/// One parameter, borrowed from the caller.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    Null,
    Integer(i64),
    Boolean(bool),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// As [`Value`], for a statement that is sent later.
#[derive(Debug, Clone)]
pub enum OwnedValue {
    Null,
    Integer(i64),
    Boolean(bool),
    Text(String),
    Bytes(Vec<u8>),
    /// Values for as many rows. For PostgreSQL.
    List(Vec<OwnedValue>),
}

impl Value<'_> {
    pub fn into_owned(self) -> OwnedValue {
        match self {
            Value::Null => OwnedValue::Null,
            Value::Integer(value) => OwnedValue::Integer(value),
            Value::Boolean(value) => OwnedValue::Boolean(value),
            Value::Text(value) => OwnedValue::Text(value.to_owned()),
            Value::Bytes(value) => OwnedValue::Bytes(value.to_owned()),
        }
    }
}

impl ToSql for OwnedValue {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            OwnedValue::Null => Ok(IsNull::Yes),
            OwnedValue::Integer(value) => value.to_sql(kind, out),
            OwnedValue::Boolean(value) => value.to_sql(kind, out),
            OwnedValue::Text(value) => value.to_sql(kind, out),
            OwnedValue::Bytes(value) => value.to_sql(kind, out),
            OwnedValue::List(values) => values.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Builds the parameter list of a statement.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Parameter::value(&$value)),*] };
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Boolean(value) => ValueRef::Integer(i64::from(*value)),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) => ValueRef::Blob(value),
        }))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(value) => value.to_sql(kind, out),
            Value::Boolean(value) => value.to_sql(kind, out),
            Value::Text(value) => value.to_sql(kind, out),
            Value::Bytes(value) => value.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Anything that can be the value of a `$n` in a statement.
pub trait Parameter {
    fn value(&self) -> Value<'_>;
}

impl Parameter for i64 {
    fn value(&self) -> Value<'_> {
        Value::Integer(*self)
    }
}

impl Parameter for bool {
    fn value(&self) -> Value<'_> {
        Value::Boolean(*self)
    }
}

impl Parameter for str {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Parameter for String {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl Parameter for [u8] {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl Parameter for Vec<u8> {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl<const N: usize> Parameter for [u8; N] {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl Parameter for Sha {
    fn value(&self) -> Value<'_> {
        Value::Bytes(self.as_bytes())
    }
}

impl Parameter for Timestamp {
    fn value(&self) -> Value<'_> {
        Value::Integer(self.0)
    }
}

impl<T: Parameter> Parameter for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, Parameter::value)
    }
}

impl<T: Parameter + ?Sized> Parameter for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}
