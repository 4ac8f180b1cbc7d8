-- Remote sync of SyncStack on PostgreSQL 13 or later: `psql -d DATABASE -f syncstack.sql` installs it, and once more
-- brings an older one up to date. `drop schema syncstack cascade` removes it with all that it holds.
--
-- All rules live here, whichever client calls: guards, the order of changes, tokens, the rights of accounts. Clients
-- call the functions below and nothing else; they run as the owner of the schema. No table is granted to any role: the
-- plan of a query over one would tell how much is in the zones of others.
--
-- A zone is named `app/scope/name`. Each account has private zones of its own of any name. A public one is every
-- account's to read and to add to; a record in it is changed by the account that added it. A private zone that another
-- account shares is named `app/private/name/owner`; only its owner and its members see it.
--
-- Errors that clients know, by SQLSTATE: SY400 bad name of a zone, SY401 no account is signed in, SY403 not allowed,
-- SY404 no such zone, SY410 the token is none of this zone, SY413 more records than one call takes.

begin;

-- Nothing that others may have put into a schema is called while this runs.
set local search_path = pg_catalog, pg_temp;

do $check$
declare
  installed integer;
  stranger text;
begin
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'This database is encoded as %, which has not the characters of all languages.',
      current_setting('server_encoding')
      using hint = 'Make one with: create database … encoding ''UTF8'' template template0.';
  end if;
  -- The owner of a part of the schema can put code into it, which would run with the rights of the role that installs.
  select pg_get_userbyid(o.owner) into stranger from (
      select n.oid as schema, n.nspowner as owner from pg_namespace n
      union all select c.relnamespace, c.relowner from pg_class c
      union all select f.pronamespace, f.proowner from pg_proc f
    ) o
    where o.schema = to_regnamespace('syncstack') and pg_get_userbyid(o.owner) <> current_user limit 1;
  if stranger is not null then
    raise exception 'The schema syncstack, or something in it, belongs to “%”, and this is installed by “%”.', stranger, current_user
      using hint = 'Install it as that role, if you trust it, or drop the schema.';
  end if;
  if to_regprocedure('syncstack.version()') is not null then
    execute 'select syncstack.version()' into installed;
    if installed > 4 then
      raise exception 'This database has version % of the functions of SyncStack, and this is version 4.', installed
        using hint = 'Take the newer program, which has the newer file.';
    end if;
  end if;
end
$check$;

create schema if not exists syncstack;

-- The tables. A change has a number that grows in its zone, with gaps; the zone's row is locked from the drawing of
-- a number to the end of the transaction, so numbers appear in their order and a token passes over nothing.

create table if not exists syncstack.zone (
  id bigint generated always as identity primary key,
  app text not null,
  scope text not null check (scope in ('private', 'public')),
  name text not null,
  owner text not null,
  generation uuid not null default gen_random_uuid(),
  change bigint not null default 0,
  time bigint not null default 0
);
-- The channel on which its changes are told: a name that only accounts know that may read the zone.
alter table syncstack.zone add column if not exists channel uuid not null default gen_random_uuid();
create unique index if not exists zone_private on syncstack.zone (app, name, owner) where scope = 'private';
create unique index if not exists zone_public on syncstack.zone (app, name) where scope = 'public';

create table if not exists syncstack.record (
  zone bigint not null,
  name text not null,
  change bigint not null,
  time bigint not null,
  owner text not null,
  content jsonb,
  primary key (zone, name)
);
create unique index if not exists record_change on syncstack.record (zone, change);
comment on column syncstack.record.content is 'null when another program than SyncStack has deleted it';

create table if not exists syncstack.member (
  zone bigint not null,
  account text not null,
  access text not null check (access in ('readOnly', 'readWrite')),
  primary key (zone, account)
);
create index if not exists member_account on syncstack.member (account);
comment on table syncstack.member is 'the accounts that owners share their private zones with';

-- Roles that speak for accounts: a gateway such as PostgREST, which names the account in request.jwt.claims. Its accounts
-- have its prefix before the claim `sub`; without one, an account and a role of one name are the same.
create table if not exists syncstack.gateway (role text primary key);
alter table syncstack.gateway add column if not exists prefix text not null default '';

create or replace function syncstack.version() returns integer
language sql immutable as $$ select 4 $$;

-- The account that calls: the role that has signed in, or the account that a gateway has let in. Claims of other roles
-- do not count: any role can set them.
create or replace function syncstack.account() returns text
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
declare
  who text := session_user;
  prefix text := (select g.prefix from gateway g where g.role = session_user);
begin
  if prefix is not null then
    who := prefix || nullif(nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub', '');
  end if;
  if coalesce(who, '') = '' then
    raise exception 'No account is signed in.' using errcode = 'SY401';
  end if;
  return who;
end
$$;

alter table syncstack.zone enable row level security;
alter table syncstack.record enable row level security;
alter table syncstack.member enable row level security;
alter table syncstack.gateway enable row level security;
-- Rights to read that versions before 4 gave.
drop policy if exists readable on syncstack.zone;
drop policy if exists readable on syncstack.record;
drop policy if exists readable on syncstack.member;
drop function if exists syncstack.readable();
revoke all on syncstack.zone, syncstack.record, syncstack.member, syncstack.gateway from public;

create or replace function syncstack.limits() returns json
language sql immutable as $$ select '{"batch": 1000, "page": 5000}'::json $$;

-- The zone of a name; all null when there is none.
create or replace function syncstack.locate(path text) returns syncstack.zone
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
declare
  parts text[] := regexp_match(
    path, '^([A-Za-z0-9][A-Za-z0-9_-]{0,199})/(private|public)/([A-Za-z0-9_-]{1,200})(?:/(.+))?$');
  who text := account();
  found zone;
begin
  if parts is null then
    raise exception '“%” names no zone: app/private/name does.', path using errcode = 'SY400';
  end if;
  select * into found from zone z
    where z.app = parts[1] and z.scope = parts[2] and z.name = parts[3]
      and (z.scope = 'public' or z.owner = coalesce(parts[4], who));
  if found.scope = 'private' and found.owner <> who
      and not exists (select from member m where m.zone = found.id and m.account = who) then
    return null;
  end if;
  return found;
end
$$;

create or replace function syncstack.required(path text) returns syncstack.zone
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
declare
  found zone := locate(path);
begin
  if found.id is null then
    raise exception 'There is no zone “%”.', path using errcode = 'SY404';
  end if;
  return found;
end
$$;

-- The rights of the account in a zone that it sees.
create or replace function syncstack.access_to(found syncstack.zone) returns text
language sql stable security definer set search_path = syncstack, pg_temp as $$
  select case when found.scope = 'public' or found.owner = account() then 'readWrite'
    else (select m.access from member m where m.zone = found.id and m.account = syncstack.account()) end
$$;

-- The channel on which changes of a zone are told.
create or replace function syncstack.channel_of(found syncstack.zone) returns text
language sql immutable as $$ select 'syncstack_' || replace(found.channel::text, '-', '') $$;

-- Gives a zone another channel, because an account that knew it may not know it any more. The others hear that, and
-- ask.
create or replace function syncstack.move_channel(known syncstack.zone) returns void
language plpgsql volatile security definer set search_path = syncstack, pg_temp as $$
begin
  update zone z set channel = gen_random_uuid() where z.id = known.id;
  perform pg_notify(channel_of(known), 'moved');
end
$$;

-- The calls.

create or replace function syncstack.open(zone text, make boolean) returns json
language plpgsql volatile security definer set search_path = syncstack, pg_temp set lock_timeout = '10s' as $$
declare
  found zone := locate(open.zone);
begin
  if found.id is null and make and split_part(open.zone, '/', 4) = '' then
    insert into zone (app, scope, name, owner)
      values (split_part(open.zone, '/', 1), split_part(open.zone, '/', 2), split_part(open.zone, '/', 3), account())
      on conflict do nothing;
  end if;
  found := required(open.zone);
  return json_build_object(
    'generation', found.generation, 'access', access_to(found), 'channel', channel_of(found));
end
$$;

-- Records that have changed after a token, in the order of their changes. A copy of the database that is behind has
-- nothing new for a token of the original.
create or replace function syncstack.changes(zone text, after text, page integer) returns json
language plpgsql stable security definer set search_path = syncstack, pg_temp
set enable_seqscan = off set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  found zone := required(changes.zone);
  parts text[];
  start bigint := 0;
  last bigint;
  list json;
  more boolean;
begin
  if after is not null then
    parts := regexp_match(after, '^([0-9a-f-]{36})/([0-9]{1,18})$');
    start := parts[2]::bigint;
    if parts is null or parts[1] <> found.generation::text or (start > found.change and not pg_is_in_recovery()) then
      raise exception 'The token “%” is none of this zone as it is now.', after using errcode = 'SY410';
    end if;
  end if;
  select coalesce(json_agg(r), '[]'), coalesce(max(r.tag::bigint), start) into list, last
    from (
      select name, change::text as tag, time, content from record
      where record.zone = found.id and record.change > start order by record.change
      limit least(greatest(page, 1), 5000)
    ) r;
  more := exists (select from record where record.zone = found.id and record.change > last);
  return json_build_object(
    'records', list, 'token', found.generation || '/' || last, 'hasMore', more,
    'newest', found.time);
end
$$;

create or replace function syncstack.record(zone text, name text) returns json
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
declare
  found zone := required(record.zone);
begin
  return (
    select json_build_object('name', r.name, 'tag', r.change::text, 'time', r.time, 'content', r.content)
    from record r where r.zone = found.id and r.name = record.name and r.content is not null);
end
$$;

-- Writes records, each a JSON object with `op` (create, update, replace), `name`, `content` and, but for create, `tag`.
-- Answers for each, in their order: `saved` or `conflict` with the record, `missing`, or `refused` with a reason. The
-- content of a saved record is shown only where it differs from the one that was sent.
create or replace function syncstack.save(zone text, saves jsonb) returns json
language plpgsql volatile security definer set search_path = syncstack, pg_temp
-- A transaction that stays open keeps its zone from others: they are told so, and come again.
set lock_timeout = '10s'
-- Without scans and sorts the planner has no way to a record but its key, whatever it has heard of the table. A step
-- that it cannot do without looks dear to it then, which is no reason to compile anything. One plan does for all calls.
set enable_seqscan = off set enable_sort = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  found zone := required(save.zone);
  who text := account();
  written bigint;
  now_ms bigint;
  this_turn bigint := 1;
  last_turn bigint := 1;
  more json[];
  more_numbers bigint[];
  answers json[] := '{}';
  numbers bigint[] := '{}';
  has_saved boolean := false;
begin
  if jsonb_array_length(saves) > 1000 then
    raise exception 'That are % records; a call takes 1000.', jsonb_array_length(saves) using errcode = 'SY413';
  end if;
  -- A later call waits here, and sees the records that this one writes.
  select * into found from zone z where z.id = found.id for update;
  if found.id is null then
    raise exception 'There is no zone “%”.', save.zone using errcode = 'SY404';
  end if;
  -- Asked with the zone locked: a call that takes a right away waits until the saves that it allowed have ended.
  if access_to(found) is distinct from 'readWrite' then
    raise exception 'The account may only read the zone.' using errcode = 'SY403';
  end if;
  written := found.change;
  now_ms := greatest((extract(epoch from clock_timestamp()) * 1000)::bigint, found.time);
  -- A record that is named twice is written twice: each turn takes the next of each name.
  while this_turn <= last_turn loop
    with input as (
      select *, row_number() over (partition by name order by number) as turn, case
          when length(name) > 255 or name !~ '^[A-Za-z0-9-][A-Za-z0-9_-]*$' then 'name'
          when jsonb_typeof(content) is distinct from 'object' then 'content'
        end as fault
      from (
        select number, e ->> 'op' as op, coalesce(e ->> 'name', '') as name, e ->> 'tag' as tag, e -> 'content' as content
        from jsonb_array_elements(saves) with ordinality as x (e, number)) as named
    ), created as (
      insert into record (zone, name, change, time, owner, content)
        select found.id, i.name, written + i.number, now_ms, who, i.content from input i
        where i.turn = this_turn and i.op = 'create' and i.fault is null
        on conflict on constraint record_pkey do nothing returning name
    ), names as (
      -- As one value, in which a name is looked up: the planner would join tables of which it knows no size.
      select coalesce(jsonb_object_agg(name, null), '{}') as created from created
    ), judged as (
      select i.*, r.change, r.time, r.content as stored,
        case i.op when 'update' then r.content || i.content else i.content end as result,
        case
          when n.created ? i.name then 'created'
          when i.fault is not null then i.fault
          when i.op = 'create' then case when r.content is null then 'saved' else 'conflict' end
          when r.content is null then 'missing'
          when r.change::text is distinct from i.tag then 'conflict'
          when found.scope = 'public' and r.owner <> who and found.owner <> who then 'owner'
          when i.op in ('update', 'replace') then 'saved'
          else 'op'
        end as verdict
      from input i cross join names n
      -- Of the records that were there before, the first that is not before the name, in the order of the key.
      left join lateral (
        select * from record where not n.created ? i.name and (record.zone, record.name) >= (found.id, i.name)
        order by record.zone, record.name limit 1
      ) r on r.zone = found.id and r.name = i.name
      where i.turn = this_turn
    ), saved as (
      insert into record as r (zone, name, change, time, owner, content)
        select found.id, j.name, written + j.number, now_ms, who, j.result from judged j where j.verdict = 'saved'
        on conflict on constraint record_pkey
          do update set change = excluded.change, time = excluded.time, content = excluded.content
    )
    select has_saved or bool_or(j.verdict in ('created', 'saved')), array_agg(j.number), array_agg(
        case
          when j.verdict = 'saved' and j.op = 'update' then json_build_object('saved', json_build_object(
            'name', j.name, 'tag', (written + j.number)::text, 'time', now_ms, 'content', j.result))
          when j.verdict in ('created', 'saved') then json_build_object('saved', json_build_object(
            'name', j.name, 'tag', (written + j.number)::text, 'time', now_ms))
          when j.verdict = 'conflict' then json_build_object('conflict', json_build_object(
            'name', j.name, 'tag', j.change::text, 'time', j.time, 'content', j.stored))
          when j.verdict = 'missing' then '{"missing": true}'
          when j.verdict = 'name' then
            json_build_object('refused', 'A record cannot be named “' || left(j.name, 300) || '”.')
          when j.verdict = 'owner' then json_build_object('refused',
            'The account may not change it: it belongs to another account. Revert it to take the server''s copy.')
          when j.verdict = 'content' then json_build_object('refused', 'The content of a record is a JSON object.')
          else json_build_object('refused', 'The server does not know “' || coalesce(left(j.op, 40), 'null') || '”.')
        end), (select max(i.turn) from input i)
      into has_saved, more_numbers, more, last_turn
      from judged j;
    answers := answers || more;
    numbers := numbers || more_numbers;
    this_turn := this_turn + 1;
  end loop;
  if has_saved then
    update zone z set change = written + jsonb_array_length(saves), time = now_ms where z.id = found.id;
  end if;
  return (select coalesce(json_agg(a order by n), '[]') from unnest(answers, numbers) as x (a, n));
end
$$;

-- Wakes the listeners of a zone; clients call it when `save` has been committed. Not a part of `save`: a
-- transaction that notifies holds a lock of the whole cluster until its commit is on the disk, so that all zones
-- together had the saves of one. One that does nothing else waits for no disk.
create or replace function syncstack.tell(zone text) returns void
language plpgsql volatile security definer set search_path = syncstack, pg_temp as $$
declare
  found zone := required(tell.zone);
begin
  perform pg_notify(channel_of(found), '');
end
$$;

-- Removes a zone with all its records. Nothing happens when there is none.
create or replace function syncstack.remove(zone text) returns void
language plpgsql volatile security definer set search_path = syncstack, pg_temp set lock_timeout = '10s' as $$
declare
  found zone := locate(remove.zone);
begin
  if found.owner <> account() then
    raise exception 'Only %, the owner of the zone, removes it.', found.owner using errcode = 'SY403';
  end if;
  delete from zone z where z.id = found.id;
  delete from record r where r.zone = found.id;
  delete from member m where m.zone = found.id;
end
$$;

-- The accounts that a zone is shared with: `account` and `access` of each.
create or replace function syncstack.participants(zone text) returns json
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
declare
  found zone := required(participants.zone);
begin
  return (
    select coalesce(json_agg(json_build_object('account', m.account, 'access', m.access) order by m.account), '[]')
    from member m where m.zone = found.id);
end
$$;

-- Shares a private zone with these accounts and no others.
create or replace function syncstack.set_participants(zone text, participants jsonb) returns void
language plpgsql volatile security definer set search_path = syncstack, pg_temp set lock_timeout = '10s' as $$
declare
  found zone := required(set_participants.zone);
  loses boolean;
begin
  if found.owner <> account() or found.scope <> 'private' then
    raise exception 'Only the owner of a private zone changes its participants.' using errcode = 'SY403';
  end if;
  select * into found from zone z where z.id = found.id for update;
  loses := exists (
    select m.account from member m where m.zone = found.id
    except select p ->> 'account' from jsonb_array_elements(participants) p);
  delete from member m where m.zone = found.id;
  insert into member (zone, account, access)
    select found.id, p ->> 'account', p ->> 'access' from jsonb_array_elements(participants) p;
  if loses then
    perform move_channel(found);
  else
    perform pg_notify(channel_of(found), '');
  end if;
end
$$;

-- Gives up the account's part in a zone of another account.
create or replace function syncstack.leave(zone text) returns void
language plpgsql volatile security definer set search_path = syncstack, pg_temp set lock_timeout = '10s' as $$
declare
  found zone := locate(leave.zone);
begin
  delete from member m where m.zone = found.id and m.account = syncstack.account();
  if found.id is not null and found.owner <> account() then
    perform move_channel(found);
  end if;
end
$$;

-- For reports and for programs of the server.

-- The value of a field without the mark that says its type.
create or replace function syncstack.plain(field jsonb) returns text
language sql immutable as $$
  select case jsonb_typeof(field) when 'array' then field ->> 1 else field #>> '{}' end
$$;

-- Whether the object of a record is there: it was not deleted, or was edited later.
create or replace function syncstack.is_alive(content jsonb) returns boolean
language sql immutable as $$
  select content ->> 'd' is null or content ->> 'd' < greatest(content ->> 't', (
    select max(f.value #>> '{}') from jsonb_each(content) f where f.key like 't\_%'))
$$;

-- The value of a field as one of a type; null when it is none.
create or replace function syncstack.fit(field jsonb, kind anyelement) returns anyelement
language plpgsql immutable as $$
declare
  result kind%type;
begin
  result := syncstack.plain(field);
  return result;
exception when others then
  return null;
end
$$;

create or replace function syncstack.moment(field jsonb) returns timestamptz
language plpgsql immutable as $$
begin
  return to_timestamp(978307200 + syncstack.plain(field)::double precision);
exception when others then
  return null;
end
$$;

create or replace function syncstack.bytes(field jsonb) returns bytea
language plpgsql immutable as $$
begin
  return decode(syncstack.plain(field), 'base64');
exception when others then
  return null;
end
$$;

-- A name that PostgreSQL takes, of 63 bytes at most, and that is not among others.
create or replace function syncstack.free_name(wanted text, taken text[]) returns text
language plpgsql immutable as $$
declare
  name text := wanted;
  suffix text := '';
begin
  loop
    while octet_length(name || suffix) > 63 loop
      name := left(name, -1);
    end loop;
    exit when (name || suffix) <> all (taken);
    suffix := '_' || coalesce(nullif(ltrim(suffix, '_'), '')::integer, 1) + 1;
  end loop;
  return name || suffix;
end
$$;

-- The number of a zone.
create or replace function syncstack.zone_number(zone text) returns bigint
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
begin
  return (required(zone)).id;
end
$$;

create or replace function syncstack.may_read(number bigint) returns boolean
language sql stable security definer set search_path = syncstack, pg_temp as $$
  select exists (select from zone z where z.id = number and access_to(z) is not null)
$$;

-- The objects of an entity that are there, in a zone that the account may read. A function in the place of a query over
-- the tables, whose plan would tell how much is in other zones.
create or replace function syncstack.objects(zone bigint, entity text) returns table (record_name text, content jsonb)
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
begin
  if not may_read(objects.zone) then
    return;
  end if;
  return query select r.name, r.content from record r
    where r.zone = objects.zone and r.content ->> 'type' = objects.entity and is_alive(r.content);
end
$$;

-- The entities that have records in a zone, with their properties that have values, and the types of these.
create or replace function syncstack.properties(zone bigint) returns table (entity text, property text, type text)
language plpgsql stable security definer set search_path = syncstack, pg_temp as $$
begin
  if not may_read(properties.zone) then
    return;
  end if;
  return query
    with field as (
      select r.content ->> 'type' as entity, f.key,
        case jsonb_typeof(f.value) when 'array' then f.value ->> 0 else jsonb_typeof(f.value) end as kind
      from record r
      left join lateral jsonb_each(r.content) f on f.key like 'f\_%' and jsonb_typeof(f.value) <> 'null'
      where r.zone = properties.zone and r.content ->> 'type' > '' and r.content ->> 'type' not like '-%'
    )
    select f.entity, substr(f.key, 3), case
        when bool_and(kind in ('number', 'i', 'n')) then 'numeric'
        when bool_and(kind in ('number', 'd')) then 'double precision'
        when bool_and(kind = 'boolean') then 'boolean'
        when bool_and(kind = 'u') then 'uuid'
        when bool_and(kind = 't') then 'timestamptz'
        when bool_and(kind in ('b', 'x')) then 'bytea'
        when bool_and(kind = 'o') then 'jsonb'
        else 'text'
      end
    from field f group by f.entity, f.key;
end
$$;

-- Makes a view for each entity that has records in a zone: a column for each property, of the type that its values have,
-- and the record's name. A value that is none of the type is null. Call it again when the model has new properties.
--
-- The views are in a schema of the zone, `app_name`, unless another is named; it is made when it is not there, for which
-- one needs the right to create schemas. Rights on the views stay when it is called again. A view shows an account the
-- objects that it may read in the zone. Returns the names of the views.
create or replace function syncstack.create_views(zone text, schema text default null) returns setof text
language plpgsql volatile as $$
declare
  found bigint := syncstack.zone_number(create_views.zone);
  place text := syncstack.free_name(
    coalesce(schema, split_part(create_views.zone, '/', 1) || '_' || split_part(create_views.zone, '/', 3)), '{}');
  known regclass;
  each record;
  one record;
  views text[] := '{}';
  name text;
  mark text;
  names text[];
  columns text[];
  list text;
  grants text;
begin
  if to_regnamespace(quote_ident(place)) is null then
    execute format('create schema %I', place);
  end if;
  for each in
    select p.entity, jsonb_object_agg(p.property, p.type order by p.property)
      filter (where p.property is not null) as types
    from syncstack.properties(found) p group by p.entity order by p.entity
  loop
    name := syncstack.free_name(each.entity, views);
    views := views || name;
    mark := format('%s in the zone %s of SyncStack', each.entity, found);
    known := to_regclass(format('%I.%I', place, name));
    if known is not null and obj_description(known, 'pg_class') is distinct from mark then
      raise exception '“%.%” is there already, and is no view of “%” in this zone.', place, name, each.entity
        using hint = 'Name another schema, as in syncstack.create_views(zone, ''reports''), or drop it.';
    end if;
    names := '{record_name}';
    columns := '{}';
    for one in select * from jsonb_each_text(each.types) p (property, type) order by p.property loop
      names := names || syncstack.free_name(one.property, names);
      columns := columns || format(
        case one.type
          when 'timestamptz' then 'syncstack.moment(content -> %1$L)'
          when 'bytea' then 'syncstack.bytes(content -> %1$L)'
          when 'jsonb' then 'case jsonb_typeof(content -> %1$L) when ''array'' then (content -> %1$L) - 0 end'
          when 'text' then 'syncstack.plain(content -> %1$L)'
          else 'syncstack.fit(content -> %1$L, null::' || one.type || ')'
        end || ' as %2$I', 'f_' || one.property, names[cardinality(names)]);
    end loop;
    -- Columns that are there keep their places, so that the view can take the place of the one before.
    select string_agg(', ' || c.text, '' order by a.attnum, c.number) into list
      from unnest(names[2:], columns) with ordinality c (name, text, number)
      left join pg_attribute a on a.attrelid = known and a.attname = c.name;
    list := format('view %I.%I as select record_name%s from syncstack.objects(%s, %L)',
      place, name, coalesce(list, ''), found, each.entity);
    begin
      execute 'create or replace ' || list;
    exception when invalid_table_definition then
      -- A type has changed, or a property has no values any more.
      select string_agg(format('grant %s on %I.%I to %s%s', p.privilege_type, place, name,
          case p.grantee when 0 then 'public' else p.grantee::regrole::text end,
          case when p.is_grantable then ' with grant option' else '' end), '; ')
        into grants from pg_class c, aclexplode(c.relacl) p where c.oid = known and p.grantee <> c.relowner;
      execute format('drop view %I.%I', place, name);
      execute 'create ' || list;
      execute coalesce(grants, '');
    end;
    execute format('comment on view %I.%I is %L', place, name, mark);
    return next format('%I.%I', place, name);
  end loop;
end
$$;

-- Writes an object as a machine does: each value gets a stamp that is later than all stamps of the record, so
-- an edit that is made elsewhere later still wins. `fields` are values by property, in the form that records have; a
-- record that is not there is made. Listeners are woken at the commit. Returns the answer of `save` for it.
create or replace function syncstack.write(zone text, entity text, name text, fields jsonb) returns json
language plpgsql volatile as $$
declare
  known json := syncstack.record(write.zone, write.name);
  latest text;
  stamp text;
  content jsonb;
begin
  perform syncstack.tell(write.zone);
  select max(f.value #>> '{}') into latest from jsonb_each((known -> 'content')::jsonb) f
    where f.key in ('t', 'd') or f.key like 't\_%';
  stamp := lpad(greatest(
    (extract(epoch from clock_timestamp()) * 1000)::bigint, left(latest, 13)::bigint + 1)::text, 13, '0') || '-postgres';
  if known is null then
    select jsonb_build_object('type', entity, 't', stamp) || coalesce(jsonb_object_agg('f_' || f.key, f.value), '{}')
      into content from jsonb_each(fields) f;
    return syncstack.save(write.zone, jsonb_build_array(
      jsonb_build_object('op', 'create', 'name', write.name, 'content', content))) -> 0;
  end if;
  select jsonb_object_agg('f_' || f.key, f.value) || jsonb_object_agg('t_' || f.key, stamp)
    into content from jsonb_each(fields) f;
  return syncstack.save(write.zone, jsonb_build_array(jsonb_build_object(
    'op', 'update', 'name', write.name, 'tag', known ->> 'tag', 'content', coalesce(content, '{}')))) -> 0;
end
$$;

revoke all on function syncstack.locate(text), syncstack.required(text), syncstack.access_to(syncstack.zone),
  syncstack.move_channel(syncstack.zone), syncstack.channel_of(syncstack.zone) from public;
grant usage on schema syncstack to public;

commit;
