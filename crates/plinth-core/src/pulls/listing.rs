//! SQL for pull requests of several repositories.

use super::model::Pull;
use super::store::{author_columns, author_joins, select_pull};
use plinth_base::ids::PullId;
use plinth_store::{Connection, DbError, Value};

/// Pull requests per statement: a page of 30 takes one.
const PULLS_PER_STATEMENT: usize = 32;

/// Pull requests by their ids, in any order.
pub async fn list_by_id(db: &mut Connection, ids: &[PullId]) -> Result<Vec<Pull>, DbError> {
    let sql = select_pull!(
        "where p.id in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
         $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)"
    );
    let mut found = Vec::with_capacity(ids.len());
    for some in ids.chunks(PULLS_PER_STATEMENT) {
        let mut values = [Value::Null; PULLS_PER_STATEMENT];
        for (value, PullId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        found.extend(db.all::<Pull>(sql, &values).await?);
    }
    Ok(found)
}
