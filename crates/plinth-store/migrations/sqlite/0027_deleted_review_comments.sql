-- Comments that everyone saw and that were deleted since this column exists. While the number is the same, comments are only added to a list.
alter table pull add column deleted_review_comments integer not null default 0;
