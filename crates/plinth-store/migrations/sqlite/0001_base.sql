create table account (
    id integer primary key autoincrement,
    kind text not null,
    login text not null,
    login_key text not null unique,
    name text,
    email text,
    site_admin integer not null default 0,
    created_at integer not null,
    updated_at integer not null
);

create table membership (
    org_id integer not null references account (id) on delete cascade,
    user_id integer not null references account (id) on delete cascade,
    role text not null,
    primary key (org_id, user_id)
) without rowid;
create index membership_user on membership (user_id);

create table repo (
    id integer primary key autoincrement,
    owner_id integer not null references account (id) on delete cascade,
    name text not null,
    name_key text not null,
    description text,
    private integer not null,
    archived integer not null default 0,
    default_branch text not null,
    ref_generation integer not null default 0,
    created_at integer not null,
    updated_at integer not null,
    pushed_at integer,
    unique (owner_id, name_key)
);

create table collaborator (
    repo_id integer not null references repo (id) on delete cascade,
    user_id integer not null references account (id) on delete cascade,
    permission text not null,
    primary key (repo_id, user_id)
) without rowid;
create index collaborator_user on collaborator (user_id);

create table app (
    id integer primary key autoincrement,
    slug text not null unique,
    name text not null,
    owner_id integer not null references account (id) on delete cascade,
    bot_id integer not null references account (id) on delete cascade,
    client_id text not null unique,
    client_secret_hash blob,
    permissions text not null,
    events text not null,
    created_at integer not null,
    updated_at integer not null
);

create table app_key (
    id integer primary key autoincrement,
    app_id integer not null references app (id) on delete cascade,
    fingerprint text not null,
    public_key blob not null,
    created_at integer not null,
    unique (app_id, fingerprint)
);

create table installation (
    id integer primary key autoincrement,
    app_id integer not null references app (id) on delete cascade,
    account_id integer not null references account (id) on delete cascade,
    repository_selection text not null,
    permissions text not null,
    events text not null,
    suspended_at integer,
    suspended_by integer references account (id) on delete set null,
    created_at integer not null,
    updated_at integer not null,
    unique (app_id, account_id)
);
create index installation_account on installation (account_id);

create table installation_repo (
    installation_id integer not null references installation (id) on delete cascade,
    repo_id integer not null references repo (id) on delete cascade,
    primary key (installation_id, repo_id)
) without rowid;
create index installation_repo_repo on installation_repo (repo_id);

create table token (
    id integer primary key autoincrement,
    hash blob not null unique,
    kind text not null,
    hint text not null,
    note text,
    user_id integer references account (id) on delete cascade,
    app_id integer references app (id) on delete cascade,
    installation_id integer references installation (id) on delete cascade,
    owner_id integer references account (id) on delete cascade,
    scopes text,
    repository_selection text,
    permissions text,
    created_at integer not null,
    expires_at integer,
    ended_at integer
);
create index token_user on token (user_id);
create index token_installation on token (installation_id);
create index token_expiry on token (expires_at) where ended_at is null and expires_at is not null;

create table token_repo (
    token_id integer not null references token (id) on delete cascade,
    repo_id integer not null references repo (id) on delete cascade,
    primary key (token_id, repo_id)
) without rowid;
create index token_repo_repo on token_repo (repo_id);

create table setting (
    name text primary key,
    value blob not null
) without rowid;
