-- When and by whom a thread was resolved.
alter table review_thread add column resolved_at integer;
alter table review_thread add column resolved_by integer references account (id) on delete set null;
