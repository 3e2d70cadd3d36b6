-- An OAuth app has no account of its own and is never installed; its bot is its owner, and is not used.
alter table app add column kind text not null default 'app';

create table device_code (
    id integer primary key autoincrement,
    hash blob not null unique,
    user_code text not null unique,
    app_id integer not null references app (id) on delete cascade,
    scopes text not null,
    interval_seconds integer not null,
    created_at integer not null,
    expires_at integer not null,
    polled_at integer,
    decision text,
    user_id integer references account (id) on delete cascade
);
create index device_code_expiry on device_code (expires_at);
