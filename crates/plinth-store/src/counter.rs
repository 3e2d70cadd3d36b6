//! Counters: columns that many writes of one repository or pull request add to.
//!
//! Each change of a row leaves a version behind that the next one walks through. So the changes of all members of a batch are
//! [deferred](crate::deferred), and made together.

use plinth_base::clock::Timestamp;

use crate::value::OwnedValue;

/// A counter and the time of its last change: see [`counter!`](crate::counter!).
#[derive(Debug)]
pub struct Counter {
    /// Adds `$2` to the row `$1`, at the time `$3`.
    pub one: &'static str,
    /// The same for several rows, with lists of numbers as texts. For PostgreSQL.
    pub many: &'static str,
}

/// Declares a counter by its table, its column and the column of the time.
#[macro_export]
macro_rules! counter {
    ($table:literal, $column:literal, $time:literal) => {
        $crate::Counter {
            one: concat!("update ", $table, " set ", $column, " = ", $column, " + $2, ", $time, " = $3 where id = $1"),
            many: concat!(
                "update ",
                $table,
                " set ",
                $column,
                " = ",
                $column,
                " + i.amount, ",
                $time,
                " = i.moment from unnest(cast(string_to_array($1, ',') as bigint[]), \
                 cast(string_to_array($2, ',') as bigint[]), cast(string_to_array($3, ',') as bigint[])) \
                 as i (row_id, amount, moment) where id = i.row_id"
            ),
        }
    };
}

/// Something to add to a counter.
#[derive(Debug, Clone, Copy)]
pub struct Increment {
    pub counter: &'static Counter,
    /// Of the row.
    pub id: i64,
    pub by: i64,
    pub at: Timestamp,
}

/// What the members of a batch add to counters.
#[derive(Debug, Default)]
pub(crate) struct Increments(Vec<Increment>);

impl Increments {
    pub fn add(&mut self, new: Increment) {
        let same = |old: &&mut Increment| std::ptr::eq(old.counter, new.counter) && old.id == new.id;
        match self.0.iter_mut().find(same) {
            Some(old) => (old.by, old.at) = (old.by + new.by, old.at.max(new.at)),
            None => self.0.push(new),
        }
    }

    pub fn append(&mut self, others: Self) {
        others.0.into_iter().for_each(|increment| self.add(increment));
    }

    /// The statements that make them, one for each counter. Rows are locked in the order of their ids.
    pub fn statements(mut self) -> Vec<(&'static str, Vec<OwnedValue>)> {
        self.0.sort_by_key(|increment| (increment.counter.one, increment.id));
        let list = |rows: &[Increment], value: fn(&Increment) -> i64| {
            OwnedValue::Text(rows.iter().map(|row| value(row).to_string()).collect::<Vec<_>>().join(","))
        };
        let of_counter = self.0.chunk_by(|one, other| std::ptr::eq(one.counter, other.counter));
        let statement = |rows: &[Increment]| match rows {
            [Increment { counter, id, by, at }] => (counter.one, [*id, *by, at.0].map(OwnedValue::Integer).to_vec()),
            rows => (
                rows[0].counter.many,
                vec![list(rows, |row| row.id), list(rows, |row| row.by), list(rows, |row| row.at.0)],
            ),
        };
        of_counter.map(statement).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static REFS: Counter = counter!("repo", "ref_generation", "pushed_at");
    static COMMENTS: Counter = counter!("pull", "review_comments", "updated_at");

    #[test]
    fn increments_of_one_row_are_added_up() {
        let mut increments = Increments::default();
        for (counter, id, by, at) in
            [(&REFS, 2, 1, 50), (&COMMENTS, 2, 3, 60), (&REFS, 1, 1, 70), (&REFS, 2, 2, 40), (&COMMENTS, 2, 4, 61)]
        {
            increments.add(Increment { counter, id, by, at: Timestamp(at) });
        }
        let statements = format!("{:?}", increments.statements());
        let expected = [
            (COMMENTS.one, vec![OwnedValue::Integer(2), OwnedValue::Integer(7), OwnedValue::Integer(61)]),
            (REFS.many, ["1,2", "1,3", "70,50"].map(|list| OwnedValue::Text(list.to_owned())).to_vec()),
        ];
        assert_eq!(statements, format!("{expected:?}"));
    }
}
