create table issue_field (
    id integer primary key autoincrement,
    org_id integer not null references account (id) on delete cascade,
    name text not null,
    name_key text not null,
    description text,
    data_type text not null,
    visibility text not null,
    created_at integer not null,
    updated_at integer not null,
    unique (org_id, name_key)
);

-- Ids are never reused, so that a client with an old id cannot change another option by it.
create table issue_field_option (
    id integer primary key autoincrement,
    issue_field_id integer not null references issue_field (id) on delete cascade,
    name text not null,
    description text,
    color text not null,
    priority integer not null,
    created_at integer not null,
    updated_at integer not null
);
create index issue_field_option_field on issue_field_option (issue_field_id, priority);

-- One generation per organization, which increases with every change of its issue fields.
create table issue_field_set (
    org_id integer primary key references account (id) on delete cascade,
    generation integer not null
);

create table project (
    id integer primary key autoincrement,
    owner_id integer not null references account (id) on delete cascade,
    number integer not null,
    title text not null,
    short_description text,
    public integer not null,
    creator_id integer references account (id) on delete set null,
    -- Increases with every change of the project or of one of its fields.
    generation integer not null default 0,
    -- Whether some field has iterations, whose responses change with the date alone.
    has_iterations integer not null default 0,
    created_at integer not null,
    updated_at integer not null,
    closed_at integer,
    unique (owner_id, number)
);
create index project_owner on project (owner_id, id);

create table project_field (
    id integer primary key autoincrement,
    project_id integer not null references project (id) on delete cascade,
    issue_field_id integer references issue_field (id) on delete cascade,
    name text not null,
    name_key text not null,
    data_type text not null,
    iteration_start_day integer,
    iteration_duration integer,
    created_at integer not null,
    updated_at integer not null,
    unique (project_id, name_key),
    unique (project_id, issue_field_id)
);
create index project_field_project on project_field (project_id, id);
create index project_field_issue_field on project_field (issue_field_id);

create table project_field_option (
    project_field_id integer not null references project_field (id) on delete cascade,
    position integer not null,
    option_id text not null,
    name text not null,
    description text not null,
    color text not null,
    primary key (project_field_id, position),
    unique (project_field_id, option_id)
) without rowid;

create table project_field_iteration (
    project_field_id integer not null references project_field (id) on delete cascade,
    position integer not null,
    iteration_id text not null,
    title text not null,
    start_date text not null,
    duration integer not null,
    primary key (project_field_id, position),
    unique (project_field_id, iteration_id)
) without rowid;
