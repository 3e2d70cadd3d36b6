//! SQL for lists of issues and pull requests.

use super::model::Issue;
use super::store::{issue_rows, pull_rows, select_issue};
use crate::paging::Page;
use crate::pulls::store::{author_columns, author_joins};
use plinth_base::clock::Timestamp;
use plinth_base::ids::{AccountId, LabelId, RepoId};
use plinth_store::{Connection, DbError, Parameter, Value};

/// Labels that a list can be filtered by.
pub const LABELS_MAX: usize = 16;

/// The filter of a list.
#[derive(Debug, Clone)]
pub struct Filter {
    pub state: StateFilter,
    pub creator: Option<AccountId>,
    pub assignee: AssigneeFilter,
    pub mentioned: Option<AccountId>,
    /// Issues have all of these; at most [`LABELS_MAX`].
    pub labels: Vec<LabelId>,
    /// Only what was updated then or later.
    pub since: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateFilter {
    Open,
    Closed,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssigneeFilter {
    /// Assigned or not.
    All,
    Unassigned,
    Assigned,
    User(AccountId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Created,
    Updated,
    Comments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
}

/// The conditions of a filter, apart from the state, for rows with a conversation `c`.
macro_rules! filtered {
    () => {
        " and (cast($2 as bigint) is null or author_id = $2) and updated_at >= $3 \
         and (cast($4 as bigint) = -1 \
         or ($4 = -2 and not exists (select 1 from issue_assignee s where s.conversation_id = c.id)) \
         or ($4 = -3 and exists (select 1 from issue_assignee s where s.conversation_id = c.id)) \
         or exists (select 1 from issue_assignee s where s.conversation_id = c.id and s.user_id = $4)) \
         and (cast($5 as bigint) is null \
         or exists (select 1 from issue_mention n where n.conversation_id = c.id and n.user_id = $5)) \
         and (cast($6 as bigint) = 0 or (select count(*) from issue_label u where u.conversation_id = c.id \
         and u.label_id in ($7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)) = $6)"
    };
}

const FILTER_VALUES: usize = 22;

fn values<'a>(repo: RepoId, filter: &'a Filter, all: &mut [Value<'a>]) {
    let assignee = match filter.assignee {
        AssigneeFilter::All => -1,
        AssigneeFilter::Unassigned => -2,
        AssigneeFilter::Assigned => -3,
        AssigneeFilter::User(user) => user.0,
    };
    let since = filter.since.map_or(i64::MIN, |moment| moment.0);
    let id = |id: Option<AccountId>| id.map_or(Value::Null, |id| Value::Integer(id.0));
    all[0] = Value::Integer(repo.0);
    all[1] = id(filter.creator);
    all[2] = Value::Integer(since);
    all[3] = Value::Integer(assignee);
    all[4] = id(filter.mentioned);
    all[5] = Value::Integer(i64::try_from(filter.labels.len()).unwrap_or(i64::MAX));
    for (value, label) in all[6..FILTER_VALUES].iter_mut().zip(&filter.labels) {
        *value = label.value();
    }
}

/// One page. Each of the two kinds is read in order as far as the page goes, so that the cost does not grow with the
/// length of the list.
pub async fn list(
    db: &mut Connection,
    repo: RepoId,
    filter: &Filter,
    (sort, direction): (Sort, Direction),
    page: Page,
) -> Result<Vec<Issue>, DbError> {
    macro_rules! page {
        ($state:literal, $issues:literal, $pulls:literal, $all:literal, $outer:literal) => {
            select_issue!(
                concat!(
                    "select * from (",
                    issue_rows!(),
                    $state,
                    filtered!(),
                    " order by ",
                    $issues,
                    " limit $23) y union all select * from (",
                    pull_rows!(),
                    $state,
                    filtered!(),
                    " order by ",
                    $pulls,
                    " limit $23) z order by ",
                    $all,
                    " limit $24 offset $25"
                ),
                concat!("order by ", $outer)
            )
        };
    }
    macro_rules! ordered {
        ($state:literal) => {
            match (sort, direction) {
                (Sort::Created, Direction::Up) => page!($state, "i.number", "p.number", "number", "x.number"),
                (Sort::Created, Direction::Down) => {
                    page!($state, "i.number desc", "p.number desc", "number desc", "x.number desc")
                }
                (Sort::Updated, Direction::Up) => {
                    page!(
                        $state,
                        "i.updated_at, i.number",
                        "p.updated_at, p.number",
                        "updated_at, number",
                        "x.updated_at, x.number"
                    )
                }
                (Sort::Updated, Direction::Down) => page!(
                    $state,
                    "i.updated_at desc, i.number desc",
                    "p.updated_at desc, p.number desc",
                    "updated_at desc, number desc",
                    "x.updated_at desc, x.number desc"
                ),
                (Sort::Comments, Direction::Up) => {
                    page!(
                        $state,
                        "c.comments, i.number",
                        "c.comments, p.number",
                        "comments, number",
                        "x.comments, x.number"
                    )
                }
                (Sort::Comments, Direction::Down) => page!(
                    $state,
                    "c.comments desc, i.number desc",
                    "c.comments desc, p.number desc",
                    "comments desc, number desc",
                    "x.comments desc, x.number desc"
                ),
            }
        };
    }
    let sql = match filter.state {
        StateFilter::Open => ordered!(" and state = 'open'"),
        StateFilter::Closed => ordered!(" and state = 'closed'"),
        StateFilter::All => ordered!(""),
    };
    let mut all = [Value::Null; FILTER_VALUES + 3];
    values(repo, filter, &mut all);
    all[FILTER_VALUES] = Value::Integer(page.offset().saturating_add(page.limit()));
    all[FILTER_VALUES + 1] = Value::Integer(page.limit());
    all[FILTER_VALUES + 2] = Value::Integer(page.offset());
    db.all(sql, &all).await
}

pub async fn count(db: &mut Connection, repo: RepoId, filter: &Filter) -> Result<i64, DbError> {
    macro_rules! counted {
        ($state:literal) => {
            concat!(
                "select (select count(*) from issue i join conversation c on c.id = i.id where i.repo_id = $1",
                $state,
                filtered!(),
                ") + (select count(*) from pull p \
                 join conversation c on c.repo_id = p.repo_id and c.number = p.number where p.repo_id = $1",
                $state,
                filtered!(),
                ")"
            )
        };
    }
    let sql = match filter.state {
        StateFilter::Open => counted!(" and state = 'open'"),
        StateFilter::Closed => counted!(" and state = 'closed'"),
        StateFilter::All => counted!(""),
    };
    let mut all = [Value::Null; FILTER_VALUES];
    values(repo, filter, &mut all);
    Ok(db.one::<(i64,)>(sql, &all).await?.0)
}
