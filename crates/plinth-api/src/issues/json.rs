//! Issues on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::json::User;
use crate::labels::json::Label;
use crate::negotiation::Media;
use crate::pulls::json::{user, user_of};
use crate::repos::json::Repository;
use crate::request::shape::Nullable;
use crate::review_comments::json::Reactions;
use crate::wire::Word;
use plinth_base::clock::Timestamp;
use plinth_base::ids::{IssueFieldId, IssueFieldOptionId, IssueId, NodeId};
use plinth_base::urls::Part::Fixed;
use plinth_base::urls::{Url, UrlTemplate, Urls};
use plinth_core::accounts::AccountSummary;
use plinth_core::issue_field_values::{self as values, ValueOption};
use plinth_core::issue_fields::model::DataType;
use plinth_core::issues::{self as core, IssueState, StateReason};
use plinth_core::projects::Color;
use plinth_core::pulls::model::Association;
use plinth_core::repos::Repo;
use plinth_markdown::Rendered;

/// What the JSON of an issue needs besides its repository.
pub struct Ready {
    pub issue: core::Issue,
    /// The body, unless it is null or the media type does not need it.
    pub rendered: Option<Arc<Rendered>>,
    pub labels: Vec<plinth_core::labels::Label>,
    pub assignees: Vec<AccountSummary>,
    /// Those that the caller may see.
    pub values: Vec<values::FieldValue>,
}

/// An issue, or a pull request as an issue. Keys for features that this service does not have are empty or null.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "issue")]
pub struct Issue<'a> {
    url: Url<'a>,
    repository_url: Url<'a>,
    labels_url: UrlTemplate<'a>,
    comments_url: Url<'a>,
    events_url: Url<'a>,
    html_url: Url<'a>,
    id: IssueId,
    node_id: String,
    /// Issues and pull requests of a repository are counted together.
    number: i64,
    title: &'a str,
    /// The author.
    user: Option<User<'a>>,
    labels: Vec<Label<'a>>,
    state: Word<IssueState>,
    /// Null for a pull request, and for an issue that was never closed.
    state_reason: Option<Word<StateReason>>,
    locked: bool,
    assignee: Option<User<'a>>,
    assignees: Vec<User<'a>>,
    milestone: Option<()>,
    comments: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: Option<Timestamp>,
    closed_by: Option<User<'a>>,
    author_association: Word<Association>,
    active_lock_reason: Option<()>,
    r#type: Option<()>,
    /// Only for pull requests, as `pull_request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_request: Option<PullRequestLinks<'a>>,
    /// Markdown; not with `text` and `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Nullable<String>>")]
    body: Option<Option<&'a str>>,
    /// Only with `text` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text: Option<&'a str>,
    /// Only with `html` and `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_html: Option<&'a str>,
    reactions: Reactions<'a>,
    timeline_url: Url<'a>,
    performed_via_github_app: Option<()>,
    /// Only in lists of the issues of several repositories.
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<Box<Repository<'a>>>,
    /// Values of the organization's issue fields; not for pull requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    issue_field_values: Option<Vec<FieldValue<'a>>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct PullRequestLinks<'a> {
    url: Url<'a>,
    html_url: Url<'a>,
    diff_url: Url<'a>,
    patch_url: Url<'a>,
    merged_at: Option<Timestamp>,
}

impl<'a> Issue<'a> {
    pub fn new(ready: &'a Ready, media: Media, repo: &'a Repo, urls: &'a Urls) -> Self {
        let Ready { issue, rendered, labels, assignees, values } = ready;
        let rendered = rendered.as_deref();
        let (owner, name) = (repo.owner_login.as_str(), repo.name.as_str());
        let url = urls.issue(owner, name, issue.number);
        let page = match issue.pull {
            Some(_) => urls.pull_page(owner, name, issue.number),
            None => urls.issue_page(owner, name, issue.number),
        };
        let node_id = match issue.pull {
            Some(pull) => NodeId::new("PR", 0).number(repo.id.0).number(pull.id.0),
            None => NodeId::new("I", 0).number(repo.id.0).number(issue.id.0),
        };
        let pull_request = issue.pull.map(|pull| PullRequestLinks {
            url: urls.pull(owner, name, issue.number),
            html_url: page,
            diff_url: page.then(Fixed(".diff")),
            patch_url: page.then(Fixed(".patch")),
            merged_at: pull.merged_at,
        });
        let is_issue = issue.pull.is_none();
        Self {
            url,
            repository_url: urls.repo(owner, name),
            labels_url: url.template("/labels{/name}"),
            comments_url: url.then(Fixed("/comments")),
            events_url: url.then(Fixed("/events")),
            html_url: page,
            id: issue.id,
            node_id: node_id.finish(),
            number: issue.number,
            title: &issue.title,
            user: user(&issue.author, urls),
            labels: labels.iter().map(|label| Label::new(label, repo, urls)).collect(),
            state: Word(issue.state),
            state_reason: issue.state_reason.map(Word),
            locked: false,
            assignee: assignees.first().map(|account| user_of(account, urls)),
            assignees: assignees.iter().map(|account| user_of(account, urls)).collect(),
            milestone: None,
            comments: issue.comments,
            created_at: issue.created_at,
            updated_at: issue.updated_at,
            closed_at: issue.closed_at,
            closed_by: issue.closed_by.as_ref().map(|account| user_of(account, urls)),
            author_association: Word(issue.author.association),
            active_lock_reason: None,
            r#type: None,
            draft: issue.pull.map(|pull| pull.draft),
            pull_request,
            body: media.shows_body().then_some(issue.body.as_deref()),
            body_text: media.shows_text().then(|| rendered.map_or("", |rendered| rendered.text.as_str())),
            body_html: media.shows_html().then(|| rendered.map_or("", |rendered| rendered.html.as_str())),
            reactions: Reactions::none(url),
            timeline_url: url.then(Fixed("/timeline")),
            performed_via_github_app: None,
            repository: None,
            issue_field_values: is_issue.then(|| values.iter().map(FieldValue::new).collect()),
        }
    }

    pub fn with_repository(mut self, repository: Repository<'a>) -> Self {
        self.repository = Some(Box::new(repository));
        self
    }
}

/// The value of an issue field.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "issue-field-value")]
pub struct FieldValue<'a> {
    issue_field_id: IssueFieldId,
    issue_field_name: &'a str,
    node_id: String,
    data_type: Word<DataType>,
    /// The name of the option for `single_select`, and null for `multi_select`.
    value: Option<ShownValue<'a>>,
    /// Only for `single_select`.
    #[serde(skip_serializing_if = "Option::is_none")]
    single_select_option: Option<ShownOption<'a>>,
    /// Only for `multi_select`.
    #[serde(skip_serializing_if = "Option::is_none")]
    multi_select_options: Option<Vec<ShownOption<'a>>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum ShownValue<'a> {
    Text(&'a str),
    Integer(i64),
    Number(f64),
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ShownOption<'a> {
    id: IssueFieldOptionId,
    name: &'a str,
    color: Word<Color>,
}

impl<'a> ShownOption<'a> {
    fn new(option: &'a ValueOption) -> Self {
        Self { id: option.id, name: &option.name, color: Word(option.color) }
    }
}

/// Integers up to this are exact as numbers.
const EXACT_MAX: f64 = 9_007_199_254_740_991.0;

impl<'a> FieldValue<'a> {
    pub fn new(value: &'a values::FieldValue) -> Self {
        let shown = match value.data_type {
            DataType::Text | DataType::Date => value.text.as_deref().map(ShownValue::Text),
            DataType::Number => value.number().map(number),
            DataType::SingleSelect => value.options.first().map(|option| ShownValue::Text(&option.name)),
            DataType::MultiSelect => None,
        };
        let options = || value.options.iter().map(ShownOption::new);
        Self {
            issue_field_id: value.field,
            issue_field_name: &value.field_name,
            node_id: NodeId::new("IFV", 0).number(value.issue.0).number(value.field.0).finish(),
            data_type: Word(value.data_type),
            value: shown,
            single_select_option: options().next().filter(|_| value.data_type == DataType::SingleSelect),
            multi_select_options: (value.data_type == DataType::MultiSelect).then(|| options().collect()),
        }
    }
}

/// An integer without a fraction where that is exact.
pub fn number<'a>(value: f64) -> ShownValue<'a> {
    if value.fract() == 0.0 && value.abs() <= EXACT_MAX {
        #[expect(clippy::cast_possible_truncation, reason = "the number is an integer in the range of exact ones")]
        return ShownValue::Integer(value as i64);
    }
    ShownValue::Number(value)
}
