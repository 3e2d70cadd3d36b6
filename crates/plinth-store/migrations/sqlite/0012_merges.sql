-- When, by whom and as what commit the pull request was merged.
alter table pull add column merged_at integer;
alter table pull add column merged_by integer references account (id) on delete set null;
alter table pull add column merge_commit blob;

-- Whether the head can be merged, and the commit of a test merge. Computed after the move, as the counts.
alter table pull_version add column mergeability text;
alter table pull_version add column test_merge blob;

create table review_request (
    pull_id integer not null references pull (id) on delete cascade,
    user_id integer not null references account (id) on delete cascade,
    created_at integer not null,
    primary key (pull_id, user_id)
) without rowid;
