-- When maintenance last tried to measure a version. It does so once.
alter table pull_version add column attempted_at bigint;
