//! SQL for lists of issues and pull requests of several repositories.

use super::listing::{Direction, LABELS_MAX, Sort, StateFilter};
use super::model::Issue;
use super::store::{issue_rows, pull_rows, select_issue};
use crate::labels::rules::name_key;
use crate::paging::Page;
use crate::pulls::store::{author_columns, author_joins};
use crate::repos::lists::{Relations, Viewer};
use crate::repos::viewer::{is_visible, related, viewer_joins};
use plinth_base::clock::Timestamp;
use plinth_base::ids::AccountId;
use plinth_store::{Connection, DbError, Parameter, Value};

/// What is listed.
#[derive(Debug, Clone)]
pub struct Filter {
    pub viewer: Viewer,
    pub within: Within,
    /// Whom the involvement is about.
    pub user: Option<AccountId>,
    pub involvement: Involvement,
    pub state: StateFilter,
    /// Names, of which issues have all; at most [`LABELS_MAX`].
    pub labels: Vec<String>,
    /// Only what was updated then or later.
    pub since: Option<Timestamp>,
}

/// The repositories whose issues are listed, as far as the viewer sees them.
#[derive(Debug, Clone, Copy)]
pub enum Within {
    /// Not for [`Involvement::Any`], which would list the issues of all repositories.
    Everything,
    Related(AccountId, Relations),
}

/// How the user is involved in what is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Involvement {
    Assigned,
    Created,
    Mentioned,
    /// One of the others.
    Subscribed,
    /// Involved or not.
    Any,
}

impl Involvement {
    fn as_str(self) -> &'static str {
        match self {
            Involvement::Assigned => "assigned",
            Involvement::Created => "created",
            Involvement::Mentioned => "mentioned",
            Involvement::Subscribed => "subscribed",
            Involvement::Any => "any",
        }
    }
}

/// The conversations in which the user `$9` is involved as `$10` says.
macro_rules! with_involved {
    () => {
        "with involved as (select s.conversation_id as id from issue_assignee s \
         where s.user_id = $9 and $10 in ('assigned', 'subscribed') \
         union select n.conversation_id from issue_mention n where n.user_id = $9 and $10 in ('mentioned', 'subscribed') \
         union select e.id from issue e where e.author_id = $9 and $10 in ('created', 'subscribed') \
         union select d.id from pull q join conversation d on d.repo_id = q.repo_id and d.number = q.number \
         where q.author_id = $9 and $10 in ('created', 'subscribed')) "
    };
}

/// The conditions of a filter, apart from the state, for rows with a conversation `c` in repositories `r` with `$which`.
macro_rules! filtered {
    ($which:expr) => {
        concat!(
            "c.repo_id in (select r.id from repo r join account o on o.id = r.owner_id and not r.deleted ",
            viewer_joins!(),
            " where ",
            is_visible!(),
            " and ",
            $which,
            ") and updated_at >= $11 and (cast($12 as bigint) = 0 \
             or (select count(distinct l.name_key) from issue_label u join label l on l.id = u.label_id \
             where u.conversation_id = c.id and l.name_key in \
             ($13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)) = $12)"
        )
    };
}

/// Calls `$statement` with the rows `c` and their conditions. Where a user must be involved, the statement starts there and
/// not at the repositories.
macro_rules! by_filter {
    ($filter:expr, $statement:ident) => {
        match ($filter.involvement, $filter.state) {
            (Involvement::Any, StateFilter::Open) => {
                $statement!("conversation c", of_related!(), " and state = 'open'")
            }
            (Involvement::Any, StateFilter::Closed) => {
                $statement!("conversation c", of_related!(), " and state = 'closed'")
            }
            (Involvement::Any, StateFilter::All) => $statement!("conversation c", of_related!(), ""),
            (_, StateFilter::Open) => $statement!(involved!(), of_involved!(), " and state = 'open'"),
            (_, StateFilter::Closed) => $statement!(involved!(), of_involved!(), " and state = 'closed'"),
            (_, StateFilter::All) => $statement!(involved!(), of_involved!(), ""),
        }
    };
}

macro_rules! involved {
    () => {
        "involved k join conversation c on c.id = k.id"
    };
}

macro_rules! of_involved {
    () => {
        filtered!(concat!(
            "r.id in (select v.repo_id from involved f join conversation v on v.id = f.id) \
             and (cast($8 as boolean) or r.id in (",
            related!(),
            "))"
        ))
    };
}

macro_rules! of_related {
    () => {
        filtered!(concat!("not cast($8 as boolean) and r.id in (", related!(), ")"))
    };
}

const FILTER_VALUES: usize = 12 + LABELS_MAX;

/// The values of the filter; `labels` are the keys of its labels.
fn values<'a>(filter: &Filter, labels: &'a [String], all: &mut [Value<'a>]) {
    let id = |id: Option<AccountId>| id.map_or(Value::Null, |AccountId(id)| Value::Integer(id));
    let (account, relations, everything) = match filter.within {
        Within::Everything => (None, Relations { owner: false, collaborator: false, member: false }, true),
        Within::Related(account, relations) => (Some(account), relations, false),
    };
    let Viewer { user, kind, limited_by } = filter.viewer;
    all[0] = id(user);
    all[1] = Value::Text(kind);
    all[2] = Value::Integer(limited_by);
    all[3] = id(account);
    all[4] = Value::Boolean(relations.owner);
    all[5] = Value::Boolean(relations.collaborator);
    all[6] = Value::Boolean(relations.member);
    all[7] = Value::Boolean(everything && filter.involvement != Involvement::Any);
    all[8] = id(filter.user);
    all[9] = Value::Text(filter.involvement.as_str());
    all[10] = Value::Integer(filter.since.map_or(i64::MIN, |moment| moment.0));
    all[11] = Value::Integer(i64::try_from(labels.len()).unwrap_or(i64::MAX));
    for (value, label) in all[12..FILTER_VALUES].iter_mut().zip(labels) {
        *value = label.value();
    }
}

fn label_keys(filter: &Filter) -> Vec<String> {
    let mut keys: Vec<String> = filter.labels.iter().map(|name| name_key(name)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// One page.
pub async fn list(
    db: &mut Connection,
    filter: &Filter,
    (sort, direction): (Sort, Direction),
    page: Page,
) -> Result<Vec<Issue>, DbError> {
    macro_rules! ordered {
        ($created:literal, $updated:literal, $comments:literal, $id:literal) => {
            concat!(
                "cast($30 as bigint) * case when $29 = 'updated' then ",
                $updated,
                " when $29 = 'comments' then ",
                $comments,
                " else ",
                $created,
                " end, cast($30 as bigint) * ",
                $id
            )
        };
    }
    macro_rules! page {
        ($conversations:expr, $condition:expr, $state:literal) => {
            select_issue!(
                concat!(
                    with_involved!(),
                    "select * from (",
                    issue_rows!($conversations, concat!($condition, $state)),
                    " union all ",
                    pull_rows!($conversations, concat!($condition, $state)),
                    ") y order by ",
                    ordered!("y.created_at", "y.updated_at", "y.comments", "y.id"),
                    " limit $31 offset $32"
                ),
                concat!("order by ", ordered!("x.created_at", "x.updated_at", "x.comments", "x.id"))
            )
        };
    }
    let sql = by_filter!(filter, page);
    let sort = match sort {
        Sort::Created => "created",
        Sort::Updated => "updated",
        Sort::Comments => "comments",
    };
    let sign = match direction {
        Direction::Up => 1,
        Direction::Down => -1,
    };
    let labels = label_keys(filter);
    let mut all = [Value::Null; FILTER_VALUES + 4];
    values(filter, &labels, &mut all);
    all[FILTER_VALUES] = Value::Text(sort);
    all[FILTER_VALUES + 1] = Value::Integer(sign);
    all[FILTER_VALUES + 2] = Value::Integer(page.limit());
    all[FILTER_VALUES + 3] = Value::Integer(page.offset());
    db.all(sql, &all).await
}

pub async fn count(db: &mut Connection, filter: &Filter) -> Result<i64, DbError> {
    macro_rules! counted {
        ($conversations:expr, $condition:expr, $state:literal) => {
            concat!(
                "select y.total from (",
                with_involved!(),
                "select (select count(*) from ",
                $conversations,
                " join issue i on i.id = c.id where ",
                $condition,
                $state,
                ") + (select count(*) from ",
                $conversations,
                " join pull p on p.repo_id = c.repo_id and p.number = c.number where ",
                $condition,
                $state,
                ") as total) y"
            )
        };
    }
    let sql = by_filter!(filter, counted);
    let labels = label_keys(filter);
    let mut all = [Value::Null; FILTER_VALUES];
    values(filter, &labels, &mut all);
    Ok(db.one::<(i64,)>(sql, &all).await?.0)
}
