-- What the content of the default branch says about the repository, and the commit that it was computed from.
alter table repo add column license text;
alter table repo add column language text;
alter table repo add column languages text;
alter table repo add column size integer not null default 0;
alter table repo add column described_tip blob;
