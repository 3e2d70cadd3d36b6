-- For lists of the issues and pull requests that a user has created, in all repositories.
create index issue_author on issue (author_id);
create index pull_author on pull (author_id);

-- Who has moved head or base, and has merged the pull request if that is what the move means.
alter table pull_version add column moved_by bigint references account (id) on delete set null;
