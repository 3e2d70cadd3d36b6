create table pull (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    number integer not null,
    title text not null,
    body text,
    author_id integer references account (id) on delete set null,
    state text not null,
    draft integer not null,
    head_ref text not null,
    base_ref text not null,
    -- Comments that everyone sees.
    review_comments integer not null,
    -- The last entry of pull_version.
    version integer not null,
    created_at integer not null,
    updated_at integer not null,
    closed_at integer,
    unique (repo_id, number)
);
create index pull_open_head on pull (repo_id, head_ref) where state = 'open';
create index pull_open_base on pull (repo_id, base_ref) where state = 'open';

-- One for each move of head or base. Merge base and counts are computed from the commits after the move.
create table pull_version (
    pull_id integer not null references pull (id) on delete cascade,
    number integer not null,
    base_sha blob not null,
    head_sha blob not null,
    merge_base blob,
    commits integer,
    additions integer,
    deletions integer,
    changed_files integer,
    created_at integer not null,
    primary key (pull_id, number)
) without rowid;

create table review (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    pull_id integer not null references pull (id) on delete cascade,
    author_id integer references account (id) on delete set null,
    state text not null,
    body text not null,
    commit_sha blob not null,
    created_at integer not null,
    submitted_at integer
);
create index review_pull on review (pull_id, id);
create unique index review_pending on review (pull_id, author_id) where state = 'PENDING';
create index review_pending_repo on review (repo_id, author_id) where state = 'PENDING';

-- The position in the code that comments are about, as it was written; it never changes.
create table review_thread (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    pull_id integer not null references pull (id) on delete cascade,
    version integer not null,
    base_sha blob not null,
    head_sha blob not null,
    old_path blob,
    new_path blob,
    path text not null,
    side text,
    line integer,
    start_side text,
    start_line integer,
    position integer,
    diff_hunk blob not null
);
create index review_thread_pull on review_thread (pull_id, id);

-- Where a thread is in a later version: a function of the thread and of two commits.
create table review_thread_place (
    thread_id integer not null references review_thread (id) on delete cascade,
    base_sha blob not null,
    head_sha blob not null,
    -- The last head on which the position existed.
    commit_sha blob not null,
    path text,
    line integer,
    start_side text,
    start_line integer,
    position integer,
    primary key (thread_id, base_sha, head_sha)
) without rowid;

create table review_comment (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    pull_id integer not null references pull (id) on delete cascade,
    review_id integer not null references review (id) on delete cascade,
    thread_id integer not null references review_thread (id) on delete cascade,
    in_reply_to_id integer references review_comment (id) on delete set null,
    author_id integer references account (id) on delete set null,
    pending integer not null,
    body text not null,
    created_at integer not null,
    updated_at integer not null
);
create index review_comment_pull on review_comment (pull_id, id);
create index review_comment_pull_updated on review_comment (pull_id, updated_at, id);
create index review_comment_repo on review_comment (repo_id, id);
create index review_comment_repo_updated on review_comment (repo_id, updated_at, id);
create index review_comment_thread on review_comment (thread_id, id);
create index review_comment_review on review_comment (review_id, id);
create index review_comment_reply on review_comment (in_reply_to_id);

-- Email addresses of those whose commits are on the default branch.
create table contributor (
    repo_id integer not null references repo (id) on delete cascade,
    email text not null,
    primary key (repo_id, email)
) without rowid;

create table notification (
    id integer primary key autoincrement,
    user_id integer not null references account (id) on delete cascade,
    repo_id integer not null references repo (id) on delete cascade,
    pull_id integer not null references pull (id) on delete cascade,
    reason text not null,
    unread integer not null,
    comment_id integer,
    updated_at integer not null,
    last_read_at integer,
    unique (user_id, pull_id)
);
create index notification_user on notification (user_id, updated_at, id);
create index notification_pull on notification (pull_id);
