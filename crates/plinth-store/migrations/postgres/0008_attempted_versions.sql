-- When the background last tried to count what a version changes. It does so once.
alter table pull_version add column attempted_at bigint;
