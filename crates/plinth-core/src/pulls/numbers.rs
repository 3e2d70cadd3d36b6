//! Which pull requests a repository has, for texts that refer to them.

use std::collections::BTreeSet;

use plinth_base::ids::RepoId;
use plinth_store::{Connection, DbError, Value};

const NUMBERS_PER_STATEMENT: usize = 16;

/// Those of the numbers that are pull requests of the repository.
pub async fn find_numbers(
    db: &mut Connection,
    repo: RepoId,
    numbers: &BTreeSet<i64>,
) -> Result<BTreeSet<i64>, DbError> {
    let sql = "select number from pull where repo_id = $1 and number in \
               ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    let mut found = BTreeSet::new();
    let numbers: Vec<i64> = numbers.iter().copied().collect();
    for some in numbers.chunks(NUMBERS_PER_STATEMENT) {
        let mut values = [Value::Null; NUMBERS_PER_STATEMENT + 1];
        values[0] = Value::Integer(repo.0);
        for (value, number) in values[1..].iter_mut().zip(some) {
            *value = Value::Integer(*number);
        }
        found.extend(db.all::<(i64,)>(sql, &values).await?.into_iter().map(|(number,)| number));
    }
    Ok(found)
}
