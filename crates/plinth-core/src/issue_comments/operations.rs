//! Creating, changing and deleting comments on issues. Each operation is one transaction, which also updates the comment
//! count and the notifications.

use std::sync::Arc;

use plinth_base::clock::Timestamp;
use plinth_base::error::{Error, Result};
use plinth_base::ids::{AccountId, IssueCommentId, RepoId};
use plinth_store::Transaction;

use super::{IssueComment, events, rules, store};
use crate::Core;
use crate::access::{Role, WriteAccess};
use crate::conversations::{self, Conversation, check_permission};
use crate::issues;
use crate::notifications::{self, Notice, NotifiedComment, find_mentions_in, recipients};
use crate::pulls::rules::check_editor;
use crate::repos::RepoTarget;
use crate::tokens::{Level, Principal};

/// Participants who are notified about a comment, besides the author and mentioned users.
const PARTICIPANTS_MAX: i64 = 200;

/// A comment, ready to be inserted.
#[derive(Debug, Clone)]
pub struct NewIssueComment {
    pub of: Conversation,
    pub author: AccountId,
    pub body: String,
    pub mentions: Vec<AccountId>,
}

pub async fn create(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    of: Conversation,
    body: String,
) -> Result<IssueComment> {
    let author = access.author()?;
    rules::check_body(&body)?;
    core.limiter.admit_content(author, access.operation(), &body, core.clock.now()).await?;
    let mentions = find_mentions_in(core, &body).await?;
    let new = NewIssueComment { of, author, body, mentions };
    access.write((new, core.clock.now()), |tx, (new, now)| Box::pin(insert(tx, new, *now))).await
}

/// Inserts a comment, counts it and notifies.
pub async fn insert(tx: &mut Transaction, new: &NewIssueComment, now: Timestamp) -> Result<IssueComment> {
    let NewIssueComment { of, author, body, mentions } = new;
    let others = store::list_participants(tx, of.id, PARTICIPANTS_MAX).await?;
    let id = store::insert(tx, of, *author, body, now).await?;
    conversations::store::add_comments(tx, of.id, 1).await?;
    conversations::store::update_time(tx, of, now).await?;
    for user in mentions {
        conversations::store::insert_mention(tx, of.id, *user).await?;
    }
    let issue = issues::store::find(tx, of.repo_id, of.number).await?.ok_or(Error::NotFound)?;
    let others: Vec<AccountId> = others.into_iter().map(|(user,)| user).collect();
    let recipients = recipients(NotifiedComment::Issue(id), issue.author.id(), &others, mentions).collect();
    let subject = issue.notice_subject();
    let notice = Notice { repo: of.repo_id, subject, actor: *author, reader: None, recipients };
    notifications::notify(tx, &notice, now).await?;
    let comment = get(tx, of.repo_id, id).await?;
    events::record(tx, "created", (&comment, None), (Some(*author), now)).await?;
    Ok(comment)
}

/// Who changes a comment.
struct Editor {
    repo: RepoId,
    caller: Arc<Principal>,
    role: Option<Role>,
    now: Timestamp,
}

impl Editor {
    fn new(core: &Core, access: &WriteAccess<RepoTarget>) -> Self {
        Self { repo: access.repo.id, caller: access.principal(), role: access.role, now: core.clock.now() }
    }

    async fn find(&self, tx: &mut Transaction, id: IssueCommentId) -> Result<IssueComment> {
        let comment = get(tx, self.repo, id).await?;
        check_editor(&self.caller, self.role, comment.author.id())?;
        Ok(comment)
    }
}

/// Changes the body of a comment. A missing comment or right is reported before errors in the body.
pub async fn update(
    core: &Core,
    access: &WriteAccess<RepoTarget>,
    id: IssueCommentId,
    body: Result<String>,
) -> Result<IssueComment> {
    check_rights(core, access, id).await?;
    let body = body?;
    rules::check_body(&body)?;
    let mentions = find_mentions_in(core, &body).await?;
    let context = (Editor::new(core, access), id, (body, mentions));
    access.write(context, |tx, (editor, id, new)| Box::pin(change(tx, editor, *id, new))).await
}

async fn change(
    tx: &mut Transaction,
    editor: &Editor,
    id: IssueCommentId,
    (body, mentions): &(String, Vec<AccountId>),
) -> Result<IssueComment> {
    let comment = editor.find(tx, id).await?;
    store::update_body(tx, id, body, editor.now).await?;
    for user in mentions {
        conversations::store::insert_mention(tx, comment.issue_id, *user).await?;
    }
    let former = comment.body.clone();
    let comment = IssueComment { body: body.clone(), updated_at: editor.now, ..comment };
    if former != comment.body {
        events::record(tx, "edited", (&comment, Some(former)), (editor.caller.actor(), editor.now)).await?;
    }
    Ok(comment)
}

pub async fn delete(core: &Core, access: &WriteAccess<RepoTarget>, id: IssueCommentId) -> Result<()> {
    check_rights(core, access, id).await?;
    let context = (Editor::new(core, access), id);
    access
        .write(context, |tx, (editor, id)| {
            Box::pin(async move {
                let comment = editor.find(tx, *id).await?;
                store::delete(tx, *id).await?;
                conversations::store::add_comments(tx, comment.issue_id, -1).await?;
                events::record(tx, "deleted", (&comment, None), (editor.caller.actor(), editor.now)).await
            })
        })
        .await
}

/// Whether the caller's permissions cover what the comment is on, and whether the caller may edit it.
async fn check_rights(core: &Core, access: &WriteAccess<RepoTarget>, id: IssueCommentId) -> Result<()> {
    let found = store::find(&mut core.read().await?, access.repo.id, id).await?;
    let comment = found.ok_or(Error::NotFound)?;
    check_permission(&comment.conversation(), access.caller(), &access.grant, (Level::Write, !access.repo.private))?;
    check_editor(access.caller(), access.role, comment.author.id())
}

async fn get(tx: &mut Transaction, repo: RepoId, id: IssueCommentId) -> Result<IssueComment> {
    store::find(tx, repo, id).await?.ok_or(Error::NotFound)
}
