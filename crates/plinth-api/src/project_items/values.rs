//! Values of fields on the wire: those of the item, of its content, and of issue fields.

use schemars::JsonSchema;
use serde::Serialize;

use super::ready::{ReadyContent, ReadyItem, ReadyItems, Subject};
use crate::accounts::json::User;
use crate::issues::json::{ShownValue, number};
use crate::labels::json::Label;
use crate::project_fields::json::{FieldOption, Iteration};
use crate::projects::json::RichText;
use crate::pulls::json::user_of;
use crate::repos::json::Repository;
use crate::wire::Word;
use plinth_base::ids::{AccountId, IssueFieldId, IssueId, ProjectFieldId};
use plinth_base::urls::Part::{Fixed, Segment};
use plinth_base::urls::{Url, Urls};
use plinth_core::accounts::{AccountKind, AccountSummary};
use plinth_core::issues::{IssueState, StateReason};
use plinth_core::project_fields::model::{Contents, DataType, Day, ProjectField, short_id};
use plinth_core::projects::Project;
use plinth_core::pulls::model::PullState;

/// What the JSON of items depends on besides each item.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub items: &'a ReadyItems,
    pub project: &'a Project,
    pub today: Day,
    pub urls: &'a Urls,
}

/// The value of a field on an item.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct FieldValue<'a> {
    id: ProjectFieldId,
    name: &'a str,
    data_type: Word<DataType>,
    /// Its form depends on the data type; null if there is none, or if the caller may not read the content of the item.
    value: Option<Value<'a>>,
}

impl<'a> FieldValue<'a> {
    pub fn new(field: &'a ProjectField, ready: &'a ReadyItem, shown: Shown<'a>) -> Self {
        let content = ready.content.as_ref();
        let value = content.and_then(|content| Value::new(field, ready, content, shown));
        Self { id: field.id, name: &field.name, data_type: Word(field.data_type), value }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Value<'a> {
    Title(Box<Title<'a>>),
    Users(Vec<User<'a>>),
    Labels(Vec<Label<'a>>),
    Reviewers(Vec<ReviewRequest<'a>>),
    /// Nothing says which pull requests belong to an issue.
    LinkedPulls([(); 0]),
    Repository(Box<Repository<'a>>),
    Option(FieldOption<'a>),
    Iteration(Iteration<'a>),
    Text(RichText<'a>),
    /// A number or a date.
    Plain(ShownValue<'a>),
}

impl<'a> Value<'a> {
    fn new(field: &ProjectField, ready: &'a ReadyItem, content: &'a ReadyContent, shown: Shown<'a>) -> Option<Self> {
        let urls = shown.urls;
        match field.data_type {
            DataType::Title => Some(Self::Title(Box::new(Title::new(content, urls)))),
            DataType::Assignees => {
                Some(Self::Users(content.assignees().iter().map(|account| user_of(account, urls)).collect()))
            }
            DataType::Labels => {
                let labels = content.labels().iter();
                Some(Self::Labels(labels.map(|label| Label::new(label, &content.repo, urls)).collect()))
            }
            DataType::Reviewers => {
                let reviewers = content.reviewers().iter();
                Some(Self::Reviewers(reviewers.map(|account| ReviewRequest::new(account, urls)).collect()))
            }
            DataType::LinkedPullRequests => Some(Self::LinkedPulls([])),
            DataType::Repository => {
                let repository = Repository::new(&content.repo, urls).with_open_issues(content.open_issues);
                Some(Self::Repository(Box::new(repository)))
            }
            DataType::Milestone | DataType::IssueType | DataType::ParentIssue | DataType::SubIssuesProgress => None,
            DataType::Text | DataType::Number | DataType::Date | DataType::SingleSelect | DataType::Iteration => {
                match field.issue_field_id {
                    Some(issue_field) => Self::of_issue(field, issue_field, content, &shown.items.contents),
                    None => Self::of_item(field, ready, shown),
                }
            }
        }
    }

    /// The value of the issue field that a field mirrors.
    fn of_issue(
        field: &ProjectField,
        issue_field: IssueFieldId,
        content: &'a ReadyContent,
        contents: &'a Contents,
    ) -> Option<Self> {
        let Subject::Issue(ready) = &content.subject else { return None };
        let value = ready.values.iter().find(|value| value.field == issue_field)?;
        match field.data_type {
            DataType::SingleSelect => Self::option(field, contents, &short_id(value.options.first()?.id.0)),
            _ => Self::plain(field, value.text.as_deref()?),
        }
    }

    fn of_item(field: &ProjectField, ready: &'a ReadyItem, shown: Shown<'a>) -> Option<Self> {
        let text = &ready.values.iter().find(|value| value.field == field.id)?.text;
        match field.data_type {
            DataType::SingleSelect => Self::option(field, &shown.items.contents, text),
            DataType::Iteration => {
                let iterations = shown.items.contents.iterations_of(field.id).iter();
                let mut found = iterations.filter(|iteration| iteration.iteration_id == *text);
                Some(Self::Iteration(Iteration::new(found.next()?, shown.today)))
            }
            _ => Self::plain(field, text),
        }
    }

    fn option(field: &ProjectField, contents: &'a Contents, id: &str) -> Option<Self> {
        let option = contents.options_of(field.id).iter().find(|option| option.option_id == id)?;
        Some(Self::Option(FieldOption::new(option)))
    }

    fn plain(field: &ProjectField, text: &'a str) -> Option<Self> {
        match field.data_type {
            DataType::Text => Some(Self::Text(RichText::new(text))),
            DataType::Number => text.parse().ok().map(|value| Self::Plain(number(value))),
            _ => Some(Self::Plain(ShownValue::Text(text))),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Title<'a> {
    #[serde(flatten)]
    text: RichText<'a>,
    number: i64,
    /// The page of the issue or pull request.
    url: Url<'a>,
    issue_id: IssueId,
    state: Word<IssueState>,
    state_reason: Option<Word<StateReason>>,
    is_draft: bool,
}

impl<'a> Title<'a> {
    fn new(content: &'a ReadyContent, urls: &'a Urls) -> Self {
        let (owner, name) = (content.repo.owner_login.as_str(), content.repo.name.as_str());
        match &content.subject {
            Subject::Issue(ready) => Self {
                text: RichText::new(&ready.issue.title),
                number: ready.issue.number,
                url: urls.issue_page(owner, name, ready.issue.number),
                issue_id: ready.issue.id,
                state: Word(ready.issue.state),
                state_reason: ready.issue.state_reason.map(Word),
                is_draft: false,
            },
            Subject::Pull(ready) => Self {
                text: RichText::new(&ready.pull.title),
                number: ready.pull.number,
                url: urls.pull_page(owner, name, ready.pull.number),
                issue_id: ready.pull.issue_id,
                state: Word(match ready.pull.state {
                    PullState::Open => IssueState::Open,
                    PullState::Closed => IssueState::Closed,
                }),
                state_reason: None,
                is_draft: ready.pull.draft,
            },
        }
    }
}

/// A review that was requested and not submitted yet.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ReviewRequest<'a> {
    r#type: &'static str,
    status: &'static str,
    reviewer: Reviewer<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Reviewer<'a> {
    #[serde(rename = "avatarUrl")]
    avatar_url: Url<'a>,
    id: AccountId,
    login: &'a str,
    url: Url<'a>,
    name: &'a str,
    r#type: &'static str,
}

impl<'a> ReviewRequest<'a> {
    fn new(account: &'a AccountSummary, urls: &'a Urls) -> Self {
        let kind = match account.kind {
            AccountKind::User => "User",
            AccountKind::Organization => "Organization",
            AccountKind::Bot => "Bot",
        };
        let reviewer = Reviewer {
            avatar_url: urls.avatar(account.id),
            id: account.id,
            login: &account.login,
            url: Url::new(urls.web(), [Fixed("/"), Segment(&account.login)]),
            name: &account.login,
            r#type: kind,
        };
        Self { r#type: "ReviewRequest", status: "pending", reviewer }
    }
}

impl ReadyContent {
    fn assignees(&self) -> &[AccountSummary] {
        match &self.subject {
            Subject::Issue(ready) => &ready.assignees,
            Subject::Pull(ready) => &ready.assignees,
        }
    }

    fn labels(&self) -> &[plinth_core::labels::Label] {
        match &self.subject {
            Subject::Issue(ready) => &ready.labels,
            Subject::Pull(ready) => &ready.labels,
        }
    }

    fn reviewers(&self) -> &[AccountSummary] {
        match &self.subject {
            Subject::Issue(_) => &[],
            Subject::Pull(ready) => &ready.reviewers,
        }
    }
}
