//! SQL for the deletion of repositories.
//!
//! A statement here deletes at most as many rows as its second parameter says, and no foreign key makes it delete or
//! change more: children go before their parents, and replies before the comments they reply to.

use plinth_base::ids::{InstallationId, RepoId};
use plinth_store::{Connection, DbError, Transaction, params};

pub async fn mark_deleted(db: &mut Transaction, repo: RepoId, name_key: &str) -> Result<(), DbError> {
    let sql = "update repo set deleted = true, name_key = $2 where id = $1 and not deleted";
    db.execute(sql, params![repo, name_key]).await?;
    Ok(())
}

pub async fn delete_collaborators(db: &mut Transaction, repo: RepoId) -> Result<(), DbError> {
    db.execute("delete from collaborator where repo_id = $1", params![repo]).await?;
    Ok(())
}

/// The installations that have selected a repository.
pub async fn list_selections(db: &mut Connection, repo: RepoId) -> Result<Vec<InstallationId>, DbError> {
    let sql = "select installation_id from installation_repo where repo_id = $1 order by installation_id";
    Ok(db.all::<(InstallationId,)>(sql, params![repo]).await?.into_iter().map(|(id,)| id).collect())
}

/// Removes a repository from the selections of all installations.
pub async fn delete_selections(db: &mut Transaction, repo: RepoId) -> Result<(), DbError> {
    db.execute("delete from installation_repo where repo_id = $1", params![repo]).await?;
    Ok(())
}

/// Whether a repository is deleted, but not removed yet.
pub async fn is_deleted(db: &mut Connection, repo: RepoId) -> Result<bool, DbError> {
    let sql = "select id from repo where id = $1 and deleted";
    Ok(db.optional::<(RepoId,)>(sql, params![repo]).await?.is_some())
}

/// The deleted repository with the lowest id above `after`.
pub async fn find_next_deleted(db: &mut Connection, after: RepoId) -> Result<Option<RepoId>, DbError> {
    let sql = "select id from repo where deleted and id > $1 order by id limit 1";
    Ok(db.optional::<(RepoId,)>(sql, params![after]).await?.map(|(repo,)| repo))
}

const COMMENTS: &str = "delete from review_comment where id in \
    (select id from review_comment where repo_id = $1 order by id desc limit $2)";
/// Of the threads that [`THREADS`] deletes next; otherwise each statement would first pass all threads without any.
const POSITIONS: &str = "delete from review_thread_place where (thread_id, base_sha, head_sha) in \
    (select p.thread_id, p.base_sha, p.head_sha \
     from (select id from review_thread where repo_id = $1 order by id limit $2) t \
     join review_thread_place p on p.thread_id = t.id limit $2)";
const THREADS: &str = "delete from review_thread where id in \
    (select id from review_thread where repo_id = $1 order by id limit $2)";
const REVIEWS: &str = "delete from review where id in \
    (select id from review where repo_id = $1 order by id limit $2)";
const NOTIFICATIONS: &str = "delete from notification where id in \
    (select id from notification where repo_id = $1 order by id limit $2)";
const REFS: &str = "delete from git_ref where repo_id = $1 and name in \
    (select name from git_ref where repo_id = $1 order by name limit $2)";
/// An object may have many megabytes, so the sum of the sizes is limited, too: rows are deleted until they have 8 MiB.
const OBJECTS: &str = "delete from git_object where repo_id = $1 and sha in \
    (select sha from (select sha, sum(size) over (order by sha) - size as size_before \
     from (select sha, length(data) as size from git_object where repo_id = $1 order by sha limit $2) o) s \
     where size_before < 8388608)";
/// Of the pull requests that [`PULLS`] deletes next, as [`POSITIONS`].
const VERSIONS: &str = "delete from pull_version where (pull_id, number) in \
    (select v.pull_id, v.number from (select id from pull where repo_id = $1 order by number limit $2) p \
     join pull_version v on v.pull_id = p.id limit $2)";
/// As [`VERSIONS`].
const REVIEW_REQUESTS: &str = "delete from review_request where (pull_id, user_id) in \
    (select q.pull_id, q.user_id from (select id from pull where repo_id = $1 order by number limit $2) p \
     join review_request q on q.pull_id = p.id limit $2)";
const ISSUE_COMMENTS: &str = "delete from issue_comment where id in \
    (select id from issue_comment where repo_id = $1 order by id limit $2)";
/// Rows of the issues and pull requests that [`CONVERSATIONS`] deletes next, as [`POSITIONS`].
macro_rules! of_conversations {
    ($table:literal, $key:literal) => {
        concat!(
            "delete from ",
            $table,
            " where (conversation_id, ",
            $key,
            ") in (select u.conversation_id, u.",
            $key,
            " from (select id from conversation where repo_id = $1 order by number limit $2) c join ",
            $table,
            " u on u.conversation_id = c.id limit $2)"
        )
    };
}
const ISSUE_LABELS: &str = of_conversations!("issue_label", "label_id");
const ASSIGNEES: &str = of_conversations!("issue_assignee", "user_id");
const MENTIONS: &str = of_conversations!("issue_mention", "user_id");
const FIELD_VALUES: &str = of_conversations!("issue_field_value", "issue_field_id");
const FIELD_VALUE_OPTIONS: &str = of_conversations!("issue_field_value_option", "option_id");
const ITEM_VALUES: &str = "delete from project_item_value where (item_id, project_field_id) in \
    (select v.item_id, v.project_field_id \
     from (select id from conversation where repo_id = $1 order by number limit $2) c \
     join project_item i on i.conversation_id = c.id join project_item_value v on v.item_id = i.id limit $2)";
/// After [`ITEM_VALUES`].
const ITEMS: &str = of_conversations!("project_item", "project_id");
const ISSUES: &str = "delete from issue where id in \
    (select id from issue where repo_id = $1 order by number limit $2)";
const CONVERSATIONS: &str = "delete from conversation where id in \
    (select id from conversation where repo_id = $1 order by number limit $2)";
/// After [`CONVERSATIONS`], so that no label is on an issue.
const LABELS: &str = "delete from label where id in \
    (select id from label where repo_id = $1 order by id limit $2)";
const PULLS: &str = "delete from pull where id in \
    (select id from pull where repo_id = $1 order by number limit $2)";
const CONTRIBUTORS: &str = "delete from contributor where repo_id = $1 and email in \
    (select email from contributor where repo_id = $1 order by email limit $2)";

const STATUSES: &str = "delete from commit_status where id in \
    (select id from commit_status where repo_id = $1 order by sha, id limit $2)";
/// As [`OBJECTS`]: a chunk has up to 256 KiB.
const ASSET_CHUNKS: &str = "delete from release_asset_chunk where (asset_id, number) in \
    (select asset_id, number from (select asset_id, number, sum(size) over (order by asset_id, number) - size as size_before \
     from (select c.asset_id, c.number, length(c.data) as size from release_asset s \
     join release_asset_chunk c on c.asset_id = s.id where s.repo_id = $1 limit $2) c) s where size_before < 8388608)";
/// After [`ASSET_CHUNKS`].
const ASSETS: &str = "delete from release_asset where id in \
    (select id from release_asset where repo_id = $1 order by id limit $2)";
const RELEASES: &str = "delete from release where id in \
    (select id from release where repo_id = $1 order by id limit $2)";
const DELIVERIES: &str = "delete from webhook_delivery where id in \
    (select d.id from webhook w join webhook_delivery d on d.webhook_id = w.id where w.repo_id = $1 limit $2)";
/// As [`OBJECTS`]: a payload may have megabytes.
const MESSAGES: &str = "delete from webhook_message where id in \
    (select id from (select id, sum(size) over (order by id) - size as size_before \
     from (select m.id, length(m.payload) as size from webhook w join webhook_message m on m.webhook_id = w.id \
     where w.repo_id = $1 limit $2) m) s where size_before < 8388608)";

/// Deletes rows of the first table that has any, and returns how many. The order is that of the foreign keys.
pub async fn delete_content(db: &mut Transaction, repo: RepoId, rows_max: i64) -> Result<u64, DbError> {
    let content = [
        COMMENTS,
        POSITIONS,
        THREADS,
        REVIEWS,
        NOTIFICATIONS,
        REVIEW_REQUESTS,
        STATUSES,
        ASSET_CHUNKS,
        ASSETS,
        RELEASES,
        ISSUE_COMMENTS,
        ISSUE_LABELS,
        ASSIGNEES,
        MENTIONS,
        FIELD_VALUES,
        FIELD_VALUE_OPTIONS,
        ITEM_VALUES,
        ITEMS,
        ISSUES,
        CONVERSATIONS,
        LABELS,
        DELIVERIES,
        MESSAGES,
        REFS,
        OBJECTS,
    ];
    for sql in content {
        let deleted = db.content_only().execute(sql, params![repo, rows_max]).await?;
        if deleted > 0 {
            return Ok(deleted);
        }
    }
    for sql in [VERSIONS, PULLS, CONTRIBUTORS] {
        let deleted = db.pulls_only().execute(sql, params![repo, rows_max]).await?;
        if deleted > 0 {
            return Ok(deleted);
        }
    }
    Ok(0)
}

/// Removes a repository from the selections of tokens. There is one row for each token that an app has ever restricted to
/// the repository.
pub async fn delete_token_selections(db: &mut Transaction, repo: RepoId, rows_max: i64) -> Result<u64, DbError> {
    let sql = "delete from token_repo where repo_id = $1 and token_id in \
               (select token_id from token_repo where repo_id = $1 order by token_id limit $2)";
    db.execute(sql, params![repo, rows_max]).await
}

/// Deletes hooks of a repository. Their messages are gone already.
pub async fn delete_hooks(db: &mut Transaction, repo: RepoId, rows_max: i64) -> Result<u64, DbError> {
    let sql = "delete from webhook where id in (select id from webhook where repo_id = $1 order by id limit $2)";
    db.execute(sql, params![repo, rows_max]).await
}

/// Deletes the row of a deleted repository. Foreign keys would delete what refers to it.
pub async fn delete_marked(db: &mut Transaction, repo: RepoId) -> Result<(), DbError> {
    db.execute("delete from repo where id = $1 and deleted", params![repo]).await?;
    Ok(())
}
