-- What a tool says about a commit. Statuses with the same context replace each other; the newest one is the latest. They are numbered from 1
-- for each commit and context.
create table commit_status (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    sha blob not null,
    context text not null,
    context_key text not null,
    number integer not null,
    latest integer not null,
    state text not null,
    description text,
    target_url text,
    creator_id integer references account (id) on delete set null,
    created_at integer not null,
    unique (repo_id, sha, context_key, number)
);
create index commit_status_commit on commit_status (repo_id, sha, id);
create index commit_status_latest on commit_status (repo_id, sha, id) where latest;

-- The release that was marked last is the latest of its repository.
create table release (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    tag_name text not null,
    target text not null,
    name text,
    body text,
    draft integer not null,
    prerelease integer not null,
    author_id integer references account (id) on delete set null,
    created_at integer not null,
    published_at integer,
    updated_at integer not null,
    marked_latest_at integer
);
create index release_repo on release (repo_id, created_at, id);
-- Several drafts may have the same tag.
create unique index release_tag on release (repo_id, tag_name) where not draft;

-- A file of a release: visible from the moment at which its state becomes 'uploaded'. Rows in other states belong to uploads that run or
-- were broken off, or are removed in the background.
create table release_asset (
    id integer primary key autoincrement,
    repo_id integer not null references repo (id) on delete cascade,
    release_id integer references release (id) on delete set null,
    name text not null,
    label text,
    content_type text not null,
    state text not null,
    size integer not null,
    digest text,
    uploader_id integer references account (id) on delete set null,
    created_at integer not null,
    updated_at integer not null
);
create unique index release_asset_name on release_asset (release_id, name) where state = 'uploaded';
create index release_asset_repo on release_asset (repo_id);
create index release_asset_leftover on release_asset (updated_at) where state <> 'uploaded';

create table release_asset_chunk (
    asset_id integer not null references release_asset (id) on delete cascade,
    number integer not null,
    data blob not null,
    primary key (asset_id, number)
);
