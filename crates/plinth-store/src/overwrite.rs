//! Rows that are overwritten: of several statements of a batch for one row, only the last one counts.

use std::collections::BTreeMap;

use crate::Value;
use crate::value::OwnedValue;

/// A statement that inserts a row or replaces what the row has, whatever that is.
#[derive(Debug, Clone, Copy)]
pub struct Overwrite<'a> {
    pub sql: &'static str,
    /// The same for several rows, with a list for each parameter, as in a [`RowStatement`](crate::RowStatement). For PostgreSQL.
    pub many: &'static str,
    /// Identifies the row among those that the statement is for.
    pub row: [i64; 2],
    pub params: &'a [Value<'a>],
}

/// What the members of a batch overwrite, by statements and row. Rows are locked in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Overwrites(BTreeMap<Key, Vec<OwnedValue>>);

type Key = ((&'static str, &'static str), [i64; 2]);

impl Overwrites {
    pub fn add(&mut self, Overwrite { sql, many, row, params }: Overwrite<'_>) {
        self.0.insert(((sql, many), row), params.iter().map(|value| value.into_owned()).collect());
    }

    pub fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }

    pub fn statements(self) -> Vec<(&'static str, Vec<OwnedValue>)> {
        let mut statements = Vec::new();
        let mut rows = self.0.into_iter().peekable();
        while let Some(((of, _), first)) = rows.next() {
            let mut columns: Vec<Vec<OwnedValue>> = first.into_iter().map(|value| vec![value]).collect();
            while let Some((_, next)) = rows.next_if(|((next, _), _)| *next == of) {
                columns.iter_mut().zip(next).for_each(|(column, value)| column.push(value));
            }
            statements.push(match columns.first().map_or(0, Vec::len) {
                0 | 1 => (of.0, columns.into_iter().flatten().collect()),
                _ => (of.1, columns.into_iter().map(OwnedValue::List).collect()),
            });
        }
        statements
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    #[test]
    fn last_values_of_a_row_remain() {
        let mut overwrites = Overwrites::default();
        let mut later = Overwrites::default();
        let add = |part: &mut Overwrites, sql, row, value: i64| {
            part.add(Overwrite { sql, many: "many", row, params: params![value, value] });
        };
        add(&mut overwrites, "sql", [2, 1], 10);
        add(&mut later, "sql", [1, 2], 20);
        add(&mut later, "sql", [2, 1], 30);
        add(&mut later, "sql", [2, 1], 40);
        add(&mut later, "other", [2, 1], 50);
        overwrites.append(later);
        let column = || OwnedValue::List(vec![OwnedValue::Integer(20), OwnedValue::Integer(40)]);
        let expected =
            [("other", vec![OwnedValue::Integer(50), OwnedValue::Integer(50)]), ("many", vec![column(), column()])];
        assert_eq!(format!("{:?}", overwrites.statements()), format!("{expected:?}"));
    }
}
