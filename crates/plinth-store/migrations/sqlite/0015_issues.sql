-- Issues and pull requests of a repository share one sequence of numbers: each has a row here. The id is that of the issue,
-- which for a pull request differs from its own id.
create table conversation (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    number integer not null,
    is_pull integer not null,
    -- Comments other than those of reviews.
    comments integer not null default 0,
    unique (repo_id, number)
);
insert into conversation (repo_id, number, is_pull) select repo_id, number, 1 from pull order by id;

create table issue (
    id integer primary key references conversation (id) on delete cascade,
    repo_id integer not null references repo (id) on delete cascade,
    number integer not null,
    title text not null,
    body text,
    author_id integer references account (id) on delete set null,
    state text not null,
    state_reason text,
    created_at integer not null,
    updated_at integer not null,
    closed_at integer,
    closed_by integer references account (id) on delete set null,
    unique (repo_id, number)
);
create index issue_open on issue (repo_id, number) where state = 'open';
create index issue_updated on issue (repo_id, updated_at, number);
-- For lists of open issues and pull requests.
create index pull_open on pull (repo_id, number) where state = 'open';

create table issue_comment (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    conversation_id integer not null references conversation (id) on delete cascade,
    author_id integer references account (id) on delete set null,
    body text not null,
    created_at integer not null,
    updated_at integer not null
);
create index issue_comment_conversation on issue_comment (conversation_id, id);
create index issue_comment_conversation_updated on issue_comment (conversation_id, updated_at, id);
create index issue_comment_repo on issue_comment (repo_id, id);
create index issue_comment_repo_updated on issue_comment (repo_id, updated_at, id);

create table label (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    name text not null,
    name_key text not null,
    color text not null,
    description text,
    unique (repo_id, name_key)
);

create table issue_label (
    conversation_id integer not null references conversation (id) on delete cascade,
    label_id integer not null references label (id) on delete cascade,
    primary key (conversation_id, label_id)
) without rowid;
create index issue_label_label on issue_label (label_id, conversation_id);

create table issue_assignee (
    conversation_id integer not null references conversation (id) on delete cascade,
    user_id integer not null references account (id) on delete cascade,
    created_at integer not null,
    primary key (conversation_id, user_id)
) without rowid;
create index issue_assignee_user on issue_assignee (user_id, conversation_id);

-- Whom the text of an issue or of a comment mentions.
create table issue_mention (
    conversation_id integer not null references conversation (id) on delete cascade,
    user_id integer not null references account (id) on delete cascade,
    primary key (conversation_id, user_id)
) without rowid;
create index issue_mention_user on issue_mention (user_id, conversation_id);

-- The value of an organization's field on an issue: a text, a date, a number as text, or else options.
create table issue_field_value (
    conversation_id integer not null references conversation (id) on delete cascade,
    issue_field_id integer not null references issue_field (id) on delete cascade,
    value text,
    primary key (conversation_id, issue_field_id)
) without rowid;
create index issue_field_value_field on issue_field_value (issue_field_id, conversation_id);

create table issue_field_value_option (
    conversation_id integer not null references conversation (id) on delete cascade,
    option_id integer not null references issue_field_option (id) on delete cascade,
    primary key (conversation_id, option_id)
) without rowid;
create index issue_field_value_option_option on issue_field_value_option (option_id, conversation_id);

-- A notification is about a pull request or an issue, and its last comment is one of either kind.
create table notification_new (
    id integer primary key autoincrement,
    user_id integer not null references account (id) on delete cascade,
    repo_id integer not null references repo (id) on delete cascade,
    pull_id integer references pull (id) on delete cascade,
    issue_id integer references issue (id) on delete cascade,
    reason text not null,
    unread integer not null,
    comment_id integer,
    issue_comment_id integer,
    updated_at integer not null,
    last_read_at integer,
    unique (user_id, pull_id),
    unique (user_id, issue_id)
);
insert into notification_new (id, user_id, repo_id, pull_id, reason, unread, comment_id, updated_at, last_read_at)
    select id, user_id, repo_id, pull_id, reason, unread, comment_id, updated_at, last_read_at from notification;
-- Ids are never reused.
delete from sqlite_sequence where name = 'notification_new';
insert into sqlite_sequence (name, seq) select 'notification_new', seq from sqlite_sequence where name = 'notification';
drop table notification;
alter table notification_new rename to notification;
create index notification_user on notification (user_id, updated_at, id);
create index notification_pull on notification (pull_id);
create index notification_issue on notification (issue_id);
create index notification_repo on notification (repo_id);
