-- For lists of the issues and pull requests that a user has created, in all repositories.
create index issue_author on issue (author_id);
create index pull_author on pull (author_id);
