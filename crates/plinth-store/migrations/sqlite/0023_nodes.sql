-- What nodes have leased of a caller's rate limit, until the window ends. Times are in milliseconds by the clock of the database.
create table rate_limit_window (
    key text primary key,
    ends_at integer not null,
    leased integer not null,
    -- What the last lease got.
    granted integer not null
) without rowid;
