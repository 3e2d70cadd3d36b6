//! SQL for notifications.

use super::model::{Notice, NoticeSubject, Notification, NotifiedComment, Recipient};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, NotificationId};
use plinth_store::{Connection, DbError, Overwrite, Transaction, lists, params};

/// Whether an account is a user who can read the repository `r`.
macro_rules! can_read {
    ($account:literal) => {
        concat!(
            $account,
            ".kind = 'User' and (r.private = false or r.owner_id = ",
            $account,
            ".id or exists (select 1 from collaborator k where k.repo_id = r.id and k.user_id = ",
            $account,
            ".id) or exists (select 1 from membership m where m.org_id = r.owner_id and m.user_id = ",
            $account,
            ".id))"
        )
    };
}
pub(crate) use can_read;

/// Marks an existing notification as unread again, and returns whether it exists. The caller has checked that the user can
/// read the repository.
pub async fn update(
    db: &mut Transaction,
    subject: NoticeSubject,
    Recipient { user, reason, comment }: &Recipient,
    now: Timestamp,
) -> Result<bool, DbError> {
    macro_rules! update {
        ($subject:literal) => {
            concat!(
                "update notification set reason = $3, unread = true, comment_id = $4, issue_comment_id = $5, \
                 updated_at = $6 where user_id = $1 and ",
                $subject,
                " = $2"
            )
        };
    }
    let (sql, id) = match subject {
        NoticeSubject::Pull(id) => (update!("pull_id"), id.0),
        NoticeSubject::Issue(id) => (update!("issue_id"), id.0),
    };
    let (review_comment, issue_comment) = NotifiedComment::columns(*comment);
    let values = params![user, id, reason, review_comment, issue_comment, now];
    Ok(db.content_only().execute(sql, values).await? > 0)
}

/// Inserts a notification or marks it as unread again, if the recipient is a user who can read the repository.
pub async fn upsert(
    db: &mut Transaction,
    notice: &Notice,
    Recipient { user, reason, comment }: &Recipient,
    now: Timestamp,
) -> Result<(), DbError> {
    macro_rules! upsert {
        ($subject:literal, $rows:expr) => {
            concat!(
                "insert into notification (user_id, repo_id, ",
                $subject,
                ", reason, unread, comment_id, issue_comment_id, updated_at) ",
                $rows,
                " where ",
                can_read!("a"),
                " on conflict (user_id, ",
                $subject,
                ") do update set reason = excluded.reason, unread = true, comment_id = excluded.comment_id, \
                 issue_comment_id = excluded.issue_comment_id, updated_at = excluded.updated_at"
            )
        };
    }
    macro_rules! one {
        () => {
            "select a.id, r.id, $3, $4, true, $5, $6, $7 \
             from account a join repo r on r.id = $2 and not r.deleted and a.id = $1"
        };
    }
    macro_rules! many {
        () => {
            concat!(
                "select a.id, r.id, i.subject, i.reason, true, i.comment, i.issue_comment, i.updated_at from unnest(",
                lists!(
                    "$1": "bigint", "$2": "bigint", "$3": "bigint", "$4": "text", "$5": "bigint", "$6": "bigint",
                    "$7": "bigint"
                ),
                ") as i (user_id, repo_id, subject, reason, comment, issue_comment, updated_at) \
                 cross join lateral (select * from account where id = i.user_id limit 1) a \
                 cross join lateral (select * from repo where id = i.repo_id and not deleted limit 1) r"
            )
        };
    }
    let (sql, many, id) = match notice.subject {
        NoticeSubject::Pull(id) => (upsert!("pull_id", one!()), upsert!("pull_id", many!()), id.0),
        NoticeSubject::Issue(id) => (upsert!("issue_id", one!()), upsert!("issue_id", many!()), id.0),
    };
    let (review_comment, issue_comment) = NotifiedComment::columns(*comment);
    let values = params![user, notice.repo, id, reason, review_comment, issue_comment, now];
    db.overwrite(Overwrite { sql, many, row: [user.0, id], params: values }).await
}

/// The notifications that a user may see; with `private`, also those of private repositories that the user can read.
#[derive(Debug, Clone, Copy)]
pub struct View {
    pub user: AccountId,
    pub private: bool,
}

macro_rules! visible {
    ($columns:literal, $rest:literal) => {
        concat!(
            "select ",
            $columns,
            " from notification n join repo r on r.id = n.repo_id and not r.deleted \
             join account o on o.id = r.owner_id \
             left join pull p on p.id = n.pull_id \
             left join issue i on i.id = n.issue_id \
             left join collaborator c on c.repo_id = r.id and c.user_id = n.user_id \
             left join membership m on m.org_id = r.owner_id and m.user_id = n.user_id \
             where n.user_id = $1 and (r.private = false or ($2 = true and \
             (r.owner_id = $1 or c.permission is not null or m.role is not null))) ",
            $rest
        )
    };
}

macro_rules! select_visible {
    ($rest:literal) => {
        visible!(
            "r.id, r.owner_id, o.login, o.kind, o.site_admin, r.name, r.description, r.private, r.archived, \
             r.default_branch, r.ref_generation, r.created_at, r.updated_at, r.pushed_at, r.homepage, r.topics, \
             r.license, r.language, r.size, \
             n.id, n.reason, n.unread, n.comment_id, n.issue_comment_id, n.updated_at, n.last_read_at, \
             n.pull_id is not null, coalesce(p.number, i.number), coalesce(p.title, i.title)",
            $rest
        )
    };
}

pub async fn find(db: &mut Connection, view: View, id: NotificationId) -> Result<Option<Notification>, DbError> {
    db.optional(select_visible!("and n.id = $3"), params![view.user, view.private, id]).await
}

/// The filter of a list: all or only unread notifications, updated between two times.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub all: bool,
    pub since: Timestamp,
    pub before: Timestamp,
}

pub async fn list(
    db: &mut Connection,
    view: View,
    filter: Filter,
    (limit, offset): (i64, i64),
) -> Result<Vec<Notification>, DbError> {
    let sql = select_visible!(
        "and ($3 = true or n.unread = true) and n.updated_at > $4 and n.updated_at < $5 \
         order by n.updated_at desc, n.id desc limit $6 offset $7"
    );
    let values = params![view.user, view.private, filter.all, filter.since, filter.before, limit, offset];
    db.all(sql, values).await
}

pub async fn count(db: &mut Connection, view: View, filter: Filter) -> Result<i64, DbError> {
    let sql = visible!("count(*)", "and ($3 = true or n.unread = true) and n.updated_at > $4 and n.updated_at < $5");
    let values = params![view.user, view.private, filter.all, filter.since, filter.before];
    Ok(db.one::<(i64,)>(sql, values).await?.0)
}

pub async fn mark_read(db: &mut Transaction, id: NotificationId, now: Timestamp) -> Result<(), DbError> {
    let sql = "update notification set unread = false, last_read_at = $2 where id = $1";
    db.content_only().execute(sql, params![id, now]).await?;
    Ok(())
}
