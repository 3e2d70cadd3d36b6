-- Ids of events need not be unique over time, only in order while they exist: an event is deleted when it has been dispatched, and nothing
-- refers to it. With `autoincrement` each event updated a second table.
create table event_without_sequence (
    id integer primary key,
    name text not null,
    action text,
    repo_id integer,
    owner_id integer,
    installation_id integer,
    actor_id integer,
    subject_id integer,
    data text not null,
    created_at integer not null
);
insert into event_without_sequence select * from event;
drop table event;
alter table event_without_sequence rename to event;
