-- Most comments are not replies, and need no entry.
drop index review_comment_reply;
create index review_comment_reply on review_comment (in_reply_to_id) where in_reply_to_id is not null;
