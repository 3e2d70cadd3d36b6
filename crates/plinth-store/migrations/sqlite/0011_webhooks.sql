-- A hook belongs to a repository, an organization or an app. The secret is encrypted with a key that the database does not have.
create table webhook (
    id integer primary key autoincrement,
    repo_id integer references repo (id) on delete cascade,
    org_id integer references account (id) on delete cascade,
    app_id integer unique references app (id) on delete cascade,
    url text not null,
    content_type text not null,
    secret blob,
    insecure_ssl integer not null default 0,
    events text not null,
    active integer not null default 1,
    created_at integer not null,
    updated_at integer not null
);
create index webhook_repo on webhook (repo_id) where repo_id is not null;
create index webhook_org on webhook (org_id) where org_id is not null;

-- What has happened and has not been dispatched to hooks, written in the transaction of the change. There are no foreign keys: an event
-- may outlive what it is about.
create table event (
    id integer primary key autoincrement,
    name text not null,
    action text,
    repo_id integer,
    owner_id integer,
    installation_id integer,
    actor_id integer,
    subject_id integer,
    data text not null,
    created_at integer not null
);

-- What one hook is sent about one event.
create table webhook_message (
    id integer primary key autoincrement,
    webhook_id integer not null references webhook (id) on delete cascade,
    guid text not null,
    event text not null,
    action text,
    repo_id integer,
    installation_id integer,
    payload text not null,
    created_at integer not null
);
create index webhook_message_webhook on webhook_message (webhook_id, id);
create index webhook_message_created on webhook_message (created_at);

-- One attempt to deliver a message. It is pending until delivered_at is set. Until claimed_until it belongs to the node that wrote the
-- random number of its claim.
create table webhook_delivery (
    id integer primary key autoincrement,
    message_id integer not null references webhook_message (id) on delete cascade,
    webhook_id integer not null references webhook (id) on delete cascade,
    redelivery integer not null default 0,
    attempt integer not null default 1,
    due_at integer not null,
    claimed_until integer,
    claim integer,
    delivered_at integer,
    duration_ms integer,
    status text,
    status_code integer,
    request_headers text,
    response_headers text,
    response_body text
);
create index webhook_delivery_webhook on webhook_delivery (webhook_id, id);
create index webhook_delivery_message on webhook_delivery (message_id);
-- By hook first: a hook with many pending deliveries does not hide those of others.
create index webhook_delivery_pending on webhook_delivery (webhook_id, due_at, id) where delivered_at is null;
