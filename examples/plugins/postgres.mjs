/**
 * A store in PostgreSQL for queued deliveries and counts: `keep: {in:
 * postgres://localhost:5432/database/schema}`. Needs npm install pg.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A lease expires if its relay does not renew it for this long by the database's clock, so the relay must have died. */
const leaseMs = 20_000;
const lapses = `clock_timestamp() + interval '${leaseMs} milliseconds'`;

const form = /^postgres(?:ql)?:\/\/([\w.-]+)(?::(\d+))?\/([\w-]+)\/([\w-]{1,63})$/;
const type = {
  schemes: ['postgres', 'postgresql'],
  example: 'postgres://host:5432/database/schema',
  holds: ['deliveries', 'counts'],
  problem: (address) => (form.test(address) ? undefined : `expected ${type.example}`),
};

export default (kit) => {
  const open = (address, context) => openStore(address, context, kit);
  return { name: 'postgres', stores: [{ ...type, open }] };
};

/** `$S` is the schema. The lock allows only one process at a time to create it. */
const tables = `do $$ begin
  perform pg_advisory_xact_lock(20261130);
  if to_regclass('$S.counts') is null then
    create schema if not exists $S;
    create table $S.entries (
      id text primary key, form text not null, kept_at float8 not null, due_at float8 not null, entry bytea not null,
      dead_letter text, token uuid, leased_until timestamptz not null default '-infinity');
    create index on $S.entries (due_at) where dead_letter is null;
    create table $S.counts (key text primary key, text text not null, version uuid not null);
  end if; end $$`;

const lease = `update $S.entries as one set token = gen_random_uuid(), leased_until = ${lapses}`;
const leaseDue = `
  with due as materialized (
    select id, due_at, octet_length(entry)::bigint as size from $S.entries
    where dead_letter is null and due_at <= $1 and leased_until < clock_timestamp()
    order by due_at, id limit $2 for update skip locked
  ), summed as (select id, size, sum(size) over (order by due_at, id) as bytes from due)
  ${lease} from summed where one.id = summed.id and (bytes <= $3 or bytes = size) returning one.*`;
const leaseOne = `${lease} where id = $1 and dead_letter is not distinct from $2 and leased_until < clock_timestamp()
  returning *`;
const isMine = 'where id = $1 and token = $2';
const end = `delete from $S.entries ${isMine}`;
const free = "update $S.entries set token = null, leased_until = '-infinity'";
const giveBack = `${free}, due_at = coalesce($3, due_at) ${isMine}`;
const change = `${free}, due_at = coalesce($3, due_at), dead_letter = $4, entry = $5 ${isMine}`;
const renew = `update $S.entries set leased_until = ${lapses} where id = any($1) and token = any($2::uuid[])`;
const find = 'select text, version from $S.counts where key = $1';
const remove = 'delete from $S.counts where key = $1';
const begin = 'insert into $S.counts values ($1, $2, gen_random_uuid()) on conflict (key) do nothing';
const replace = 'update $S.counts set text = $2, version = gen_random_uuid() where key = $1 and version = $3';

/** Connects on the first query, and creates missing tables. */
function openStore(address, { env, now, encode, decode, leaseBook }, kit) {
  const [, host, port, database, schema] = form.exec(address);
  const login = { host, port, database, user: env('PGUSER'), password: env('PGPASSWORD') };
  const pool = new pg.Pool({ ...login, max: 5, connectionTimeoutMillis: 5_000 });
  // Without a listener, a lost connection would end the process.
  pool.on('error', () => {});
  const query = (text, values, timeoutMs = 10_000) =>
    pool.query({ text: text.replaceAll('$S', `"${schema}"`), values, query_timeout: timeoutMs });
  let isReady = false;
  const run = async (text, ...more) => {
    if (!isReady) await query(tables);
    isReady = true;
    return query(text, ...more);
  };
  const bytesOf = (kept) => Buffer.from(encode(kept));
  const read = ({ id, form, kept_at, entry }) => decode(entry, { id, form, keptAt: kept_at });
  const settle = async ({ id, token }, text, ...values) => {
    const { rowCount } = await run(text, [id, token, ...values]);
    if (rowCount === 0) throw kit.fail('another relay has it by now', { code: 'claim_lost' });
  };
  /** Renews this relay's leases until they are settled, and gives them back when the relay stops. */
  const book = leaseBook({
    leaseMs,
    renew: (rows) => run(renew, [rows.map(({ id }) => id), rows.map(({ token }) => token)]),
    giveBack: (row, afterMs) => settle(row, giveBack, afterMs > 0 ? now() + afterMs : null),
  });
  const leaseOf = (row) =>
    book.lease(row, read(row), {
      done: () => settle(row, end),
      reschedule: (dueAt, kept) => settle(row, change, dueAt, null, bytesOf(kept)),
      deadLetter: (reason, kept) => settle(row, change, null, reason, bytesOf(kept)),
    });

  const leases = {
    leaseMs,
    keep: async (entries, { isMine, dueAt, timeoutMs }) => {
      const due = isMine ? now() : dueAt;
      const rows = entries.map((kept) => [kept.id, kept.form, kept.keptAt, due, bytesOf(kept)]);
      const places = rows.map((row, at) => `(${row.map((_, column) => `$${at * row.length + column + 1}`)})`);
      const text = `insert into $S.entries values ${places} on conflict (id) do nothing`;
      await run(text, rows.flat(), timeoutMs);
      return [];
    },
    lease: async (most, waitMs, mostBytes = Number.MAX_SAFE_INTEGER, stop = undefined) => {
      for (const until = Date.now() + waitMs; ; await sleep(200)) {
        const { rows } = await run(leaseDue, [now(), most, mostBytes]);
        if (rows.length > 0 || stop?.aborted || Date.now() >= until) return rows.map(leaseOf);
      }
    },
    async *list() {
      for (let last = ''; last !== undefined; ) {
        const { rows } = await run('select * from $S.entries where id > $1 order by id limit 10', [last]);
        for (const row of rows)
          yield {
            ...read(row),
            deadLetter: row.dead_letter ?? undefined,
            dueAt: row.dead_letter ? undefined : row.due_at,
          };
        last = rows.at(-1)?.id;
      }
    },
    async *leaseMatching(wanted) {
      for await (const listed of leases.list()) {
        const { rows } = wanted(listed)
          ? await run(leaseOne, [listed.kept.id, listed.deadLetter])
          : { rows: [] };
        for (const row of rows) yield* book.offer(row, { ...leaseOf(row), listed });
      }
    },
    count: async () => {
      const { rows } = await run(`select form, count(*) filter (where dead_letter is null)::int as due,
        count(dead_letter)::int as "deadLetters", min(kept_at) as "oldestKeptAt" from $S.entries group by form`);
      return { forms: new Map(rows.map(({ form, ...counts }) => [form, counts])) };
    },
  };

  /** Each text has a version, so that a writer cannot overwrite a text that it has not read. */
  const counts = {
    read: async (key, timeoutMs) => (await run(find, [key], timeoutMs)).rows[0] ?? { version: '' },
    write: async (key, text, { version }, timeoutMs) => {
      const values = version ? [key, text, version] : [key, text];
      return (await run(version ? replace : begin, values, timeoutMs)).rowCount === 1;
    },
    remove: async (key, timeoutMs) => void (await run(remove, [key], timeoutMs)),
  };
  const remedies = { other: 'check its server, PGUSER, PGPASSWORD and PGSSLMODE; 28P01 is a wrong password' };
  const probe = () =>
    run('select 1').then(() => [{ level: 'ok', says: 'the server answers and has the tables' }]);
  const close = async () => {
    await book.close();
    await pool.end();
  };
  return { leases, counts, probe, remedies, close };
}
