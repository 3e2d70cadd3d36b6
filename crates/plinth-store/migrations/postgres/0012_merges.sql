-- When, by whom and as what commit the pull request was merged.
alter table pull add column merged_at bigint;
alter table pull add column merged_by bigint references account (id) on delete set null;
alter table pull add column merge_commit bytea;

-- Whether the head can be merged, and the commit of a test merge. Computed after the move, as the counts.
alter table pull_version add column mergeability text;
alter table pull_version add column test_merge bytea;

create table review_request (
    pull_id bigint not null references pull (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (pull_id, user_id)
);
