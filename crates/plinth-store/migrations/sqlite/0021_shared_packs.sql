-- Packs in an object storage, which all nodes share. Without one, packs are files that no row describes.
create table pack (
    repo_id integer not null references repo (id) on delete cascade,
    -- The name of its files, without extension.
    name text not null,
    -- The key of its files in the object storage, without extension. Never used twice.
    object_key text not null,
    pack_bytes integer not null,
    pack_sha256 blob not null,
    index_bytes integer not null,
    index_sha256 blob not null,
    created_at integer not null,
    primary key (repo_id, name)
);

-- Keys that no pack has any more, until they are deleted from the object storage.
create table removed_pack (
    object_key text primary key,
    removed_at integer not null
);
create unique index pack_key on pack (object_key);
create index removed_pack_time on removed_pack (removed_at);
