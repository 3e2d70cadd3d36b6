create table git_ref (
    repo_id bigint not null references repo (id) on delete cascade,
    name text collate "C" not null,
    target bytea not null,
    kind text not null,
    primary key (repo_id, name)
);

-- Small objects that were created through the API and are not in a pack yet.
create table git_object (
    repo_id bigint not null references repo (id) on delete cascade,
    sha bytea not null,
    kind text not null,
    data bytea not null,
    created_at bigint not null,
    primary key (repo_id, sha)
);
