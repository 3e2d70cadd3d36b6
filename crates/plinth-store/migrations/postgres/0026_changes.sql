-- What transactions have changed, so that nodes know which of their cached values are outdated. Rows are only added, so that no
-- two transactions wait for each other; those that every node has seen are deleted.

-- Transactions that may have taken a right away. Each excludes all other write transactions.
create table revocation (
    changed_by bigint not null default cast(cast(pg_current_xact_id() as text) as bigint)
);
create index revocation_changed_by on revocation (changed_by);

create table change (
    changed_by bigint not null default cast(cast(pg_current_xact_id() as text) as bigint),
    -- Whose content: twice the id of a repository, twice the id of an account and one, -1 for everybody's. -2 for rights.
    scope bigint not null,
    -- Whether pull requests have changed, too.
    pulls boolean not null
);
create index change_changed_by on change (changed_by);

-- What was deleted last. A node that has missed two deletions has missed changes.
create table change_deletion (
    number bigint not null,
    -- The next deletion deletes what is visible here.
    snapshot text not null
);
insert into change_deletion (number, snapshot) values (0, cast(pg_current_snapshot() as text));
