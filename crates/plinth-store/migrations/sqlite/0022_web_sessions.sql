-- A browser that has signed in with a token. The id of the session is stored as a hash; the session ends with its token.
create table web_session (
    hash blob primary key,
    token_id integer not null references token (id) on delete cascade,
    created_at integer not null,
    expires_at integer not null
) without rowid;
create index web_session_token on web_session (token_id);
create index web_session_expiry on web_session (expires_at);
