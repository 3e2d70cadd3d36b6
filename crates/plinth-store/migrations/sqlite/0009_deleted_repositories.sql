-- A deleted repository stays as a marked row until maintenance has removed everything that belongs to it. From the mark
-- on, nobody finds it: no name is equal to its name_key, and every statement that reads repo by anything else has
-- `not deleted`.
alter table repo add column deleted integer not null default 0;
create index repo_deleted on repo (id) where deleted;

-- Without these, each removal of a repository would read all rows of these tables, for the foreign key alone.
create index review_repo on review (repo_id);
create index review_thread_repo on review_thread (repo_id);
create index notification_repo on notification (repo_id);
