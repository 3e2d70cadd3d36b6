alter table repo add column homepage text;
