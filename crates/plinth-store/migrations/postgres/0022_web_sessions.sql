-- A browser that has signed in with a token. The id of the session is stored as a hash; the session ends with its token.
create table web_session (
    hash bytea primary key,
    token_id bigint not null references token (id) on delete cascade,
    created_at bigint not null,
    expires_at bigint not null
);
create index web_session_token on web_session (token_id);
create index web_session_expiry on web_session (expires_at);
