/**
 * A store in Redis for queued deliveries: `keep: {in: redis://localhost:6379/form-relay}`. Needs npm install
 * @redis/client.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, RESP_TYPES } from '@redis/client';

/** A relay that does not renew a lease for this long has died. */
const leaseMs = 30_000;

const form = /^rediss?:\/\/[\w.-]+(:\d+)?\/[\w-]+$/;

export default (kit) => ({
  name: 'redis',
  stores: [
    {
      schemes: ['redis', 'rediss'],
      problem: (address) => (form.test(address) ? undefined : 'expected redis://host:6379/name'),
      open: (address, context) => {
        const leases = new RedisLeases(address, context, kit);
        return { leases, probe: () => leases.probe(), close: () => leases.close() };
      },
    },
  ],
});

/**
 * `KEYS` holds the store's name. The data of an entry is in `entry` and `info`. `due` contains it with its
 * time or the end of its lease; dead letters are in `dead_letters`.
 */
const script = (body) => `local function key(part) return KEYS[1] .. ':' .. part end\n${body}`;

/** Leases entries that are due or whose relay has died: the requested number, or fewer if the entries are large. */
const leaseDue = script(`
  local now, most, till, token = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
  local leased, bytes = {}, tonumber(ARGV[3])
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('due'), '-inf', now, 'LIMIT', 0, most)) do
    bytes = bytes - redis.call('HSTRLEN', key('entry'), id)
    if bytes < 0 and #leased > 0 then break end
    redis.call('ZADD', key('due'), till, id)
    redis.call('HSET', key('token'), id, token)
    table.insert(leased, id)
  end
  return leased`);

/** Leases an entry for its owner, unless a relay holds its lease. */
const leaseOne = script(`
  local id, now, till, token = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
  local at = tonumber(redis.call('ZSCORE', key('due'), id) or 0)
  local isLeased = redis.call('HEXISTS', key('token'), id) == 1 and at > now
  if isLeased or redis.call('HEXISTS', key('info'), id) == 0 then return 0 end
  redis.call('HDEL', key('dead_letters'), id)
  redis.call('ZADD', key('due'), till, id)
  redis.call('HSET', key('token'), id, token)
  return 1`);

/** Ends a lease, unless another relay holds it. The entry is then done, due at a time, or a dead letter. */
const settle = script(`
  local id, token, way, at, entry = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
  if redis.call('HGET', key('token'), id) ~= token then return 0 end
  redis.call('HDEL', key('token'), id)
  redis.call('ZREM', key('due'), id)
  if way == 'done' then return redis.call('HDEL', key('entry'), id) + redis.call('HDEL', key('info'), id) end
  if entry ~= '' then redis.call('HSET', key('entry'), id, entry) end
  if way == 'due' then return redis.call('ZADD', key('due'), at, id) end
  return redis.call('HSET', key('dead_letters'), id, at)`);

/** Renews leases, unless other relays hold them by now. */
const renewAll = script(`
  for at = 2, #ARGV, 2 do
    if redis.call('HGET', key('token'), ARGV[at]) == ARGV[at + 1] then redis.call('ZADD', key('due'), ARGV[1], ARGV[at]) end
  end`);

class RedisLeases {
  leaseMs = leaseMs;
  #connected;
  /** Renews this relay's leases until they are settled, and gives them back when the relay stops. */
  #book;

  constructor(address, context, kit) {
    Object.assign(this, { address, context, kit, name: address.replace(/^.*\//, '') });
    this.#book = context.leaseBook({
      leaseMs,
      renew: (all) =>
        this.#run(renewAll, context.now() + leaseMs, ...all.flatMap(({ id, token }) => [id, token])),
      giveBack: (lease, afterMs) => this.#settle(lease, ...(lease.back ?? ['due', context.now() + afterMs])),
    });
  }

  /** Without a listener, a lost connection would end the process. The next command connects again. */
  async #redis() {
    const forget = () => (this.#connected = undefined);
    const url = this.address.replace(/\/[\w-]+$/, '');
    const login = { url, password: this.context.env('REDIS_PASSWORD') };
    const client = () => createClient({ ...login, socket: { reconnectStrategy: false } });
    this.#connected ??= client().on('error', forget).connect();
    this.#connected.catch(forget);
    return (await this.#connected).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  }

  async #run(text, ...given) {
    const strings = given.map((one) => (Buffer.isBuffer(one) ? one : String(one)));
    return (await this.#redis()).eval(text, { keys: [this.name], arguments: strings });
  }

  #key = (part) => `${this.name}:${part}`;

  async keep(entries, { isMine, dueAt }) {
    const all = (await this.#redis()).multi();
    for (const kept of entries) {
      all.hSet(this.#key('entry'), kept.id, this.context.encode(kept));
      all.hSet(this.#key('info'), kept.id, JSON.stringify([kept.form, kept.keptAt]));
      all.zAdd(this.#key('due'), { score: isMine ? this.context.now() : dueAt, value: kept.id });
    }
    return all.exec().then(() => []);
  }

  async lease(most, waitMs, mostBytes = Number.MAX_SAFE_INTEGER, stop) {
    for (const until = Date.now() + waitMs; ; await sleep(200)) {
      const [now, token] = [this.context.now(), crypto.randomUUID()];
      const ids = await this.#run(leaseDue, now, most, mostBytes, now + leaseMs, token);
      if (ids.length > 0)
        return Promise.all(ids.map(async (id) => (await this.#lease(String(id), token))[1]));
      if (stop?.aborted || Date.now() >= until) return [];
    }
  }

  /** @param back How to give the entry back, if not as due at once. */
  async #lease(id, token, back = undefined) {
    const lease = { id, token, back };
    this.#book.hold(lease);
    return [
      lease,
      this.#book.lease(lease, await this.#read(id), {
        done: () => this.#settle(lease, 'done'),
        reschedule: (dueAt, kept) => this.#settle(lease, 'due', dueAt, kept),
        deadLetter: (reason, kept) => this.#settle(lease, 'dead_letters', reason, kept),
      }),
    ];
  }

  async #settle({ id, token }, way, at = '', kept = undefined) {
    const entry = kept ? this.context.encode(kept) : '';
    const isMine = await this.#run(settle, id, token, way, at, entry);
    if (!isMine) throw this.kit.fail('another relay has it by now', { code: 'claim_lost' });
  }

  async #read(id) {
    const redis = await this.#redis();
    const [bytes, info] = await Promise.all(['entry', 'info'].map((part) => redis.hGet(this.#key(part), id)));
    const [form, keptAt] = JSON.parse(String(info)) ?? [];
    return form === undefined ? undefined : this.context.decode(bytes, { id, form, keptAt });
  }

  async *list() {
    const redis = await this.#redis();
    for (const id of (await redis.hKeys(this.#key('info'))).map(String)) {
      const deadLetter = (await redis.hGet(this.#key('dead_letters'), id))?.toString();
      const dueAt = (await redis.zScore(this.#key('due'), id)) ?? undefined;
      const found = await this.#read(id);
      if (found) yield { ...found, deadLetter, dueAt };
    }
  }

  async *leaseMatching(wanted) {
    for await (const listed of this.list()) {
      const [{ kept, deadLetter, dueAt }, token, now] = [listed, crypto.randomUUID(), this.context.now()];
      if (!wanted(listed) || !(await this.#run(leaseOne, kept.id, now, now + leaseMs, token))) continue;
      const [lease, one] = await this.#lease(
        kept.id,
        token,
        deadLetter ? ['dead_letters', deadLetter] : ['due', dueAt],
      );
      yield* this.#book.offer(lease, { ...one, listed });
    }
  }

  async count() {
    const redis = await this.#redis();
    const deadLetters = new Set((await redis.hKeys(this.#key('dead_letters'))).map(String));
    const forms = new Map();
    for (const [id, info] of Object.entries(await redis.hGetAll(this.#key('info')))) {
      const [form, keptAt] = JSON.parse(String(info));
      const known = forms.get(form) ?? { due: 0, deadLetters: 0, oldestKeptAt: keptAt };
      known[deadLetters.has(id) ? 'deadLetters' : 'due'] += 1;
      known.oldestKeptAt = Math.min(known.oldestKeptAt, keptAt);
      forms.set(form, known);
    }
    return { forms };
  }

  async probe() {
    return [{ level: 'ok', says: `the server answers ${await (await this.#redis()).ping()}` }];
  }

  async close() {
    await this.#book.close();
    await (await this.#connected)?.close();
  }
}
