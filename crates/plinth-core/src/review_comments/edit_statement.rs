//! The statement with which members of a batch change the bodies of comments.

use super::model::{Comment, Edit};
use super::store::select_comment;
use crate::pulls::rules::may_edit_all;
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::clock::Timestamp;
use plinth_store::{DbError, RowKey, RowStatement, Sent, Transaction, lists, params};

/// Changes the body of a comment, and reads the comment as it was before. Nothing if the editor cannot see it or may not change it.
///
/// It may do so for several comments at once: what is read is looked up for each (`offset 0`).
pub async fn send(db: &mut Transaction, edit: &Edit, now: Timestamp) -> Result<Sent<Vec<Comment>>, DbError> {
    let sql = concat!(
        "with i as (select * from unnest(",
        lists!("$1": "bigint", "$2": "bigint", "$3": "bigint", "$4": "boolean", "$5": "text", "$6": "bigint"),
        ") with ordinality as i (id, repo_id, editor, may_edit_all, body, edited_at, row_number)), \
         former as (select f.*, i.row_number from i cross join lateral (",
        select_comment!(
            "review_comment c",
            "where c.id = i.id and c.repo_id = i.repo_id and (c.pending = false or c.author_id = i.editor) \
             and (i.may_edit_all or c.author_id = i.editor) offset 0"
        ),
        ") f), edited as (update review_comment c set body = i.body, updated_at = i.edited_at from i \
         where c.id = i.id and i.row_number in (select row_number from former)) select * from former"
    );
    let Edit { repo, id, editor, role, body } = edit;
    let (author, may_edit_all) = (editor.actor(), may_edit_all(editor, *role));
    let values = params![id, repo, author, may_edit_all, body, now];
    let row = RowStatement { sql, key: Some(id.to_string()), params: values };
    db.content_only().changes_row(RowKey::of_id(id.0)).send_row(row).await
}
