-- Which kinds of the content have changed, and which rows of them: see change_detail.rs. 0 if any may have, as in rows of older nodes.
alter table change add column detail bigint not null default 0;
