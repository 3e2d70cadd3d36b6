//! SQL for values of issue fields.

use std::collections::HashMap;

use super::model::{FieldValue, OptionRow, ValueOption, ValueRow};
use plinth_base::ids::{IssueFieldId, IssueFieldOptionId, IssueId};
use plinth_store::{Connection, DbError, Transaction, Value, params};

/// Issues per statement: a page of 30 takes one.
const ISSUES_PER_STATEMENT: usize = 32;

macro_rules! of_some_issues {
    ($select:literal, $order:literal) => {
        concat!(
            $select,
            " where v.conversation_id in \
             ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, \
             $23, $24, $25, $26, $27, $28, $29, $30, $31, $32) order by ",
            $order
        )
    };
}

/// The values of each issue that has any, by the ids of the fields.
pub async fn list_of(
    db: &mut Connection,
    issues: impl Iterator<Item = IssueId>,
) -> Result<HashMap<IssueId, Vec<FieldValue>>, DbError> {
    let issues: Vec<IssueId> = issues.collect();
    let mut found: HashMap<IssueId, Vec<FieldValue>> = HashMap::new();
    for some in issues.chunks(ISSUES_PER_STATEMENT) {
        let mut values = [Value::Null; ISSUES_PER_STATEMENT];
        for (value, IssueId(id)) in values.iter_mut().zip(some) {
            *value = Value::Integer(*id);
        }
        for value in list_of_some(db, &values).await? {
            found.entry(value.issue).or_default().push(value);
        }
    }
    Ok(found)
}

async fn list_of_some(db: &mut Connection, issues: &[Value<'_>]) -> Result<Vec<FieldValue>, DbError> {
    let sql = of_some_issues!(
        "select v.conversation_id, f.id, f.name, f.data_type, f.visibility, v.value \
         from issue_field_value v join issue_field f on f.id = v.issue_field_id",
        "v.conversation_id, f.id"
    );
    let rows: Vec<ValueRow> = db.all(sql, issues).await?;
    let has_options = rows.iter().any(|row| row.data_type.is_select());
    let mut options = if has_options { list_options(db, issues).await? } else { HashMap::new() };
    let values = rows.into_iter().map(|row| {
        let ValueRow { issue, field, field_name, data_type, visibility, text } = row;
        let options = options.remove(&(issue, field)).unwrap_or_default();
        FieldValue { issue, field, field_name, data_type, visibility, text, options }
    });
    // The chosen options may have been deleted.
    Ok(values.filter(|value| !value.data_type.is_select() || !value.options.is_empty()).collect())
}

type Options = HashMap<(IssueId, IssueFieldId), Vec<ValueOption>>;

async fn list_options(db: &mut Connection, issues: &[Value<'_>]) -> Result<Options, DbError> {
    let sql = of_some_issues!(
        "select v.conversation_id, o.issue_field_id, o.id, o.name, o.color \
         from issue_field_value_option v join issue_field_option o on o.id = v.option_id",
        "v.conversation_id, o.priority, o.id"
    );
    let mut found = Options::new();
    for OptionRow { issue, field, id, name, color } in db.all::<OptionRow>(sql, issues).await? {
        found.entry((issue, field)).or_default().push(ValueOption { id, name, color });
    }
    Ok(found)
}

/// The values of one issue.
pub async fn list_of_one(db: &mut Connection, issue: IssueId) -> Result<Vec<FieldValue>, DbError> {
    Ok(list_of(db, std::iter::once(issue)).await?.remove(&issue).unwrap_or_default())
}

/// Sets the value of a field; options are inserted apart.
pub async fn upsert(
    db: &mut Transaction,
    issue: IssueId,
    field: IssueFieldId,
    text: Option<&str>,
) -> Result<(), DbError> {
    let sql = "insert into issue_field_value (conversation_id, issue_field_id, value) values ($1, $2, $3) \
               on conflict (conversation_id, issue_field_id) do update set value = excluded.value";
    db.content_only().execute(sql, params![issue, field, text]).await?;
    Ok(())
}

pub async fn insert_option(db: &mut Transaction, issue: IssueId, option: IssueFieldOptionId) -> Result<(), DbError> {
    let sql =
        "insert into issue_field_value_option (conversation_id, option_id) values ($1, $2) on conflict do nothing";
    db.content_only().execute(sql, params![issue, option]).await?;
    Ok(())
}

/// Deletes the value of a field, and returns whether there was one.
pub async fn delete(db: &mut Transaction, issue: IssueId, field: IssueFieldId) -> Result<bool, DbError> {
    delete_options(db, issue, field).await?;
    let sql = "delete from issue_field_value where conversation_id = $1 and issue_field_id = $2";
    Ok(db.content_only().execute(sql, params![issue, field]).await? > 0)
}

/// Deletes the chosen options of a field.
pub async fn delete_options(db: &mut Transaction, issue: IssueId, field: IssueFieldId) -> Result<(), DbError> {
    let sql = "delete from issue_field_value_option where conversation_id = $1 \
               and option_id in (select id from issue_field_option where issue_field_id = $2)";
    db.content_only().execute(sql, params![issue, field]).await?;
    Ok(())
}
