-- What nodes have leased of a caller's rate limit, until the window ends. Times are in milliseconds by the clock of the database.
create table rate_limit_window (
    key text primary key,
    ends_at integer not null,
    leased integer not null,
    -- What the last lease got.
    granted integer not null
) without rowid;

-- How often unreachable objects of a repository were removed, if they ever were.
create table collection (
    repo_id integer primary key references repo (id) on delete cascade,
    number integer not null
);
