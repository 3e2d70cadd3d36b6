create table git_ref (
    repo_id integer not null references repo (id) on delete cascade,
    name text not null,
    target blob not null,
    kind text not null,
    primary key (repo_id, name)
) without rowid;

-- Small objects that were created through the API and are not in a pack yet.
create table git_object (
    repo_id integer not null references repo (id) on delete cascade,
    sha blob not null,
    kind text not null,
    data blob not null,
    created_at integer not null,
    primary key (repo_id, sha)
);
