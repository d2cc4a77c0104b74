/** A store in files on one machine, such as `my-plugin:./kept`. To start from this, make `change` a transaction of your server. */
import { link, mkdir, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A relay that does not renew a lease for this long has died. */
const leaseMs = 30_000;

export default (kit) => ({
  name: 'my-plugin',
  stores: [
    kit.store({
      schemes: ['my-plugin'],
      open: (address, context) => openStore(filesIn(address.replace('my-plugin:', '')), context, kit),
    }),
  ],
});

/** Each change writes all entries into a file with the next number, which only one process can create. */
function filesIn(folder) {
  const fileOf = (number) => `${folder}/${number}.json`;
  const read = async () => {
    await mkdir(folder, { recursive: true });
    const number = Math.max(0, ...(await readdir(folder)).map((name) => Number.parseInt(name, 10) || 0));
    const text = number === 0 ? '{}' : await readFile(fileOf(number), 'utf8');
    // The file was emptied meanwhile, since there is a newer one.
    return text === '' ? read() : { number, all: JSON.parse(text) };
  };
  /** `work` changes the entries, and may run several times. If there is nothing to change, it returns `undefined`. */
  const tryChange = async (work) => {
    const { number, all } = await read();
    const result = work(all);
    if (result === undefined) return undefined;
    const temporary = `${folder}/new-${crypto.randomUUID()}`;
    await writeFile(temporary, JSON.stringify(all), { flush: true });
    const taken = await link(temporary, fileOf(number + 1)).catch((error) => error);
    await rm(temporary);
    if (taken?.code === 'EEXIST') return tryChange(work);
    if (taken) throw taken;
    const handle = await open(folder);
    await handle.sync().finally(() => handle.close());
    // The empty file stays for a long time, so that a slow process cannot take the number again.
    await truncate(fileOf(number)).catch(() => {});
    await rm(fileOf(number - 10_000), { force: true });
    return result;
  };
  let last = Promise.resolve();
  const change = (work) => {
    const changed = last.then(() => tryChange(work));
    last = changed.catch(() => {});
    return changed;
  };
  return { read, change };
}

function openStore({ read, change }, { now, encode, decode, leaseBook }, kit) {
  const entriesOf = (all) => Object.keys(all).map((id) => all[id]);
  const bytesOf = (kept) => Buffer.from(encode(kept)).toString('base64');
  const entryOf = ({ id, bytes, form, keptAt }) => decode(Buffer.from(bytes, 'base64'), { id, form, keptAt });
  const listed = (one) => {
    const { deadLetter, dueAt } = one;
    return { ...entryOf(one), deadLetter, dueAt: deadLetter ? undefined : dueAt };
  };
  const lease = (one) => Object.assign(one, { until: now() + leaseMs, token: crypto.randomUUID() });
  const settle = async ({ id, token }, more) => {
    const isMine = await change((all) => {
      if (all[id]?.token !== token) return undefined;
      if (more) Object.assign(all[id], { until: 0, token: undefined }, more);
      else delete all[id];
      return true;
    });
    if (!isMine) throw kit.fail('another process has it by now', { code: 'claim_lost' });
  };
  /** Renews this process's leases until they are settled, and gives them back when the process stops. */
  const book = leaseBook({
    leaseMs,
    renew: (leases) =>
      change((all) => {
        for (const { id, token } of leases) if (all[id]?.token === token) all[id].until = now() + leaseMs;
        return leases.length > 0 || undefined;
      }),
    giveBack: (one, afterMs) => settle(one, afterMs > 0 ? { dueAt: now() + afterMs } : {}),
  });
  const leaseOf = (one) =>
    book.lease(one, entryOf(one), {
      done: () => settle(one, undefined),
      reschedule: (dueAt, kept) => settle(one, { dueAt, deadLetter: undefined, bytes: bytesOf(kept) }),
      deadLetter: (reason, kept) => settle(one, { deadLetter: reason, bytes: bytesOf(kept) }),
    });

  const leases = {
    leaseMs,
    keep: async (entries, { isMine, dueAt }) => {
      const due = { dueAt: isMine ? now() : dueAt, until: 0 };
      await change((all) => {
        for (const kept of entries) {
          const { id, form, keptAt } = kept;
          all[id] = { id, form, keptAt, ...due, bytes: bytesOf(kept) };
        }
        return true;
      });
      return [];
    },
    lease: async (most, waitMs, mostBytes = Number.MAX_SAFE_INTEGER, stop) => {
      for (const end = Date.now() + waitMs; ; await sleep(200)) {
        const leased = await change((all) => {
          const isDue = ({ deadLetter, dueAt, until }) => !deadLetter && Math.max(dueAt, until) <= now();
          const due = entriesOf(all).filter(isDue).slice(0, most);
          let bytes = 0;
          const some = due.filter((one, at) => {
            bytes += one.bytes.length;
            return at === 0 || bytes <= mostBytes;
          });
          return some.length > 0 ? some.map(lease) : undefined;
        });
        if (leased || stop?.aborted || Date.now() >= end) return (leased ?? []).map(leaseOf);
      }
    },
    async *list() {
      yield* entriesOf((await read()).all).map(listed);
    },
    async *leaseMatching(wanted) {
      for (const id of Object.keys((await read()).all)) {
        const found = await change((all) => {
          const free = all[id] && all[id].until <= now() ? listed(all[id]) : undefined;
          return free && wanted(free) ? { free, leased: lease(all[id]) } : undefined;
        });
        if (!found) continue;
        yield* book.offer(found.leased, { ...leaseOf(found.leased), listed: found.free });
      }
    },
    count: async () => {
      const forms = new Map();
      for (const { form, keptAt, deadLetter } of entriesOf((await read()).all)) {
        const counted = forms.get(form) ?? { due: 0, deadLetters: 0, oldestKeptAt: keptAt };
        counted[deadLetter ? 'deadLetters' : 'due'] += 1;
        counted.oldestKeptAt = Math.min(counted.oldestKeptAt, keptAt);
        forms.set(form, counted);
      }
      return { forms };
    },
  };
  const probe = () =>
    read().then(({ all }) => [{ level: 'ok', says: `${Object.keys(all).length} in the store` }]);
  return { leases, probe, close: () => book.close() };
}
