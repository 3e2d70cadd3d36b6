-- An issue or a pull request in a project. Items are listed in the order in which they were added.
create table project_item (
    id integer primary key autoincrement,
    project_id integer not null references project (id) on delete cascade,
    conversation_id integer not null references conversation (id) on delete cascade,
    creator_id integer references account (id) on delete set null,
    created_at integer not null,
    updated_at integer not null,
    unique (project_id, conversation_id)
);
create index project_item_project on project_item (project_id, id);
create index project_item_conversation on project_item (conversation_id);

-- The value of a project's own field: a text, a date, a number as text, or the id of an option or an iteration. Values of
-- issue field mirrors are those of the issue.
create table project_item_value (
    item_id integer not null references project_item (id) on delete cascade,
    project_field_id integer not null references project_field (id) on delete cascade,
    value text not null,
    primary key (item_id, project_field_id)
) without rowid;
create index project_item_value_field on project_item_value (project_field_id);
