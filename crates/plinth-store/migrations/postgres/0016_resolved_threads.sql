-- When and by whom a thread was resolved.
alter table review_thread add column resolved_at bigint;
alter table review_thread add column resolved_by bigint references account (id) on delete set null;
