//! The values of variables and literals, as JSON.

use std::collections::HashMap;

use graphql_parser::query::{Type, Value as Literal, VariableDefinition};
use serde_json::{Map, Value};

use super::errors::{QueryResult, invalid};

/// Every use of a variable is a copy of its value.
const USED_BYTES_MAX: usize = 1024 * 1024;

/// The declared variables of an operation, each with the number of bytes that a use of it counts.
#[derive(Default)]
pub struct Variables {
    values: HashMap<String, (Value, usize)>,
    used_bytes: usize,
}

impl Variables {
    pub fn of<'d>(
        declared: &[VariableDefinition<'d, &'d str>],
        sent: Option<&Map<String, Value>>,
    ) -> QueryResult<Self> {
        let mut variables = Self::default();
        for variable in declared {
            let value = match (sent.and_then(|sent| sent.get(variable.name)), &variable.default_value) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => variables.replace(default)?,
                (None, None) => Value::Null,
            };
            if value.is_null() && matches!(variable.var_type, Type::NonNullType(_)) {
                let (name, kind) = (variable.name, &variable.var_type);
                return Err(invalid(format!("Variable ${name} of type {kind} was provided invalid value")));
            }
            let bytes = value.to_string().len();
            variables.values.insert(variable.name.to_owned(), (value, bytes));
        }
        Ok(variables)
    }

    /// A literal as JSON, with the variables in it replaced.
    pub fn replace<'d>(&mut self, literal: &Literal<'d, &'d str>) -> QueryResult<Value> {
        Ok(match literal {
            Literal::Variable(name) => self.value(name)?,
            Literal::Int(number) => number.as_i64().into(),
            Literal::Float(number) => (*number).into(),
            Literal::String(text) => text.as_str().into(),
            Literal::Boolean(value) => (*value).into(),
            Literal::Null => Value::Null,
            Literal::Enum(name) => (*name).into(),
            Literal::List(values) => values.iter().map(|value| self.replace(value)).collect::<QueryResult<_>>()?,
            Literal::Object(values) => {
                let entries = values.iter().map(|(name, value)| Ok(((*name).to_owned(), self.replace(value)?)));
                Value::Object(entries.collect::<QueryResult<_>>()?)
            }
        })
    }

    fn value(&mut self, name: &str) -> QueryResult<Value> {
        let Some((value, bytes)) = self.values.get(name) else {
            return Err(invalid(format!("Variable ${name} is used but not declared")));
        };
        self.used_bytes += bytes;
        if self.used_bytes > USED_BYTES_MAX {
            return Err(invalid("Query uses large variables too often"));
        }
        Ok(value.clone())
    }
}
