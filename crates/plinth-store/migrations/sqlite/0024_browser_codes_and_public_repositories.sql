-- A code without an app belongs to a browser that signs in to the pages of the service. SQLite cannot drop a constraint.
create table new_device_code (
    id integer primary key autoincrement,
    hash blob not null unique,
    user_code text not null unique,
    app_id integer references app (id) on delete cascade,
    scopes text not null,
    interval_seconds integer not null,
    created_at integer not null,
    expires_at integer not null,
    polled_at integer,
    decision text,
    user_id integer references account (id) on delete cascade
);
insert into new_device_code
select id, hash, user_code, app_id, scopes, interval_seconds, created_at, expires_at, polled_at, decision, user_id from device_code;
drop table device_code;
alter table new_device_code rename to device_code;
create index device_code_expiry on device_code (expires_at);

-- For the list that everyone sees on the first page.
create index repo_public on repo (id) where not private and not deleted;
