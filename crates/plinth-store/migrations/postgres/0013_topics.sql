alter table repo add column topics text not null default '';
