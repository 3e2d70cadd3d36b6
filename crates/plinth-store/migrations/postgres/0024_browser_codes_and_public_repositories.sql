-- A code without an app belongs to a browser that signs in to the pages of the service.
alter table device_code alter column app_id drop not null;

-- For the list that everyone sees on the first page.
create index repo_public on repo (id) where not private and not deleted;
