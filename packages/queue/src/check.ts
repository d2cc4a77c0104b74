/** The check of `relay doctor` for the store that keeps deliveries, and for its secret. */
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, firstOf, makeSecret, ok, secretSet, warning } from '@form-relay/base/finding';
import { weaknessOf } from '@form-relay/base/weak_secret';
import type { CheckContext } from '@form-relay/core/command';
import { foreignIn } from '@form-relay/stores/entry';
import { failed } from '@form-relay/stores/failures';
import { storeFailure, checkTimeoutMs as timeoutMs, unreachableFromHere } from '@form-relay/stores/findings';
import { timeLimit } from '@form-relay/stores/open_store';
import type { Leases, Queued } from '@form-relay/stores/store';
import { type QueueConfig, storeOpener } from './open_stores.ts';
import { totalOf } from './store_status.ts';

/** Without a secret, the store holds deliveries in clear: a folder only for the relay's user, a queue for all its readers. */
export async function probeSecret({ config, services }: CheckContext): Promise<readonly Finding[]> {
  const name = 'KEEP_SECRET';
  const keep = config?.shared.get('keep');
  if (!keep) return [];
  const secret = services.env(name) ?? '';
  if (secret !== '') return [secretSet(name, weaknessOf(secret), `encrypts what is kept in ${keep.in.name}`)];
  return keep.in.type.isFolder
    ? []
    : [warning(name, `not set; kept submissions are stored unencrypted in ${keep.in.name}`, makeSecret)];
}

/** Whether the store of failed deliveries can be used, and what waits there for its owner. */
export async function probe(context: CheckContext): Promise<readonly Finding[]> {
  const { config, services, settings } = context;
  const keep = config?.shared.get('keep');
  if (!config || !keep) return [];
  const unreachable = unreachableFromHere(keep.in);
  if (unreachable) return [unreachable];
  const keeping = [...config.forms.values()].filter(({ provided }) => provided.get('keep'));
  const forms = keeping.length > 0 ? firstOf(keeping) : 'a form';
  const store = await storeOpener(services, settings)(keep);
  try {
    const found = await store.probe(timeLimit(timeoutMs));
    return [
      ...found.map((one) => ({ ...one, subject: keep.in.name })),
      ...(context.writes ? await tryOut(store.leases, keep, context) : []),
      ...(await waiting(store.leases, keep)),
      ...(await foreign(store.leases, keep)),
    ];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const consequence = `${forms} cannot keep deliveries, so failed ones are answered 500`;
    return [storeFailure(keep.in, error, consequence, store.remedies)];
  } finally {
    await store.close();
  }
}

/** Keeps one entry and forgets it, where nobody else can take it for a submission meanwhile. */
async function tryOut(
  leases: Leases,
  { in: place }: QueueConfig,
  { now }: CheckContext,
): Promise<readonly Finding[]> {
  if (!place.type.isFolder) return [];
  const at = now();
  const entry: Queued = {
    id: `doctor-${at}-0`,
    form: 'relay doctor',
    output: { place: 0, of: 1, type: 'none', fingerprint: '' },
    receivedAt: at,
    keptAt: at,
    tries: 0,
    why: undefined,
    content: new Uint8Array(),
  };
  const kept = await leases.keep([entry], { isMine: true, dueAt: at, timeoutMs });
  for (const lease of kept) await lease.done();
  return [ok(place.name, 'stored a test entry, and removed it')];
}

/** Deliveries that wait for their owner are a warning: nothing else resolves them. */
async function waiting(leases: Leases, { in: place }: QueueConfig): Promise<readonly Finding[]> {
  const { due, deadLetters, oldestKeptAt } = totalOf(await leases.count());
  const since =
    oldestKeptAt === undefined ? '' : `, the oldest since ${new Date(oldestKeptAt).toISOString()}`;
  if (due + deadLetters === 0) return [ok(place.name, 'nothing waits')];
  if (deadLetters === 0)
    return [ok(place.name, `${count(due)} and ${due === 1 ? 'is' : 'are'} tried again${since}`)];
  const says = `${count(due + deadLetters)}${since}; dead letters: ${deadLetters}`;
  return [
    warning(place.name, says, 'See the reason with relay kept list; fix it, then run relay kept retry.'),
  ];
}

/** Entries of newer relays, which this one leaves as they are. */
async function foreign(leases: Leases, { in: place }: QueueConfig): Promise<readonly Finding[]> {
  // A queue hides what it lists.
  if (leases.notes) return [];
  let found = 0;
  const until = performance.now() + timeoutMs;
  for await (const { kept } of leases.list()) {
    if (foreignIn(kept)) found += 1;
    if (performance.now() > until) break;
  }
  if (found === 0) return [];
  return [failure(place.name, `${count(found)}: ${failed('store_newer').message}`, 'Update this relay.')];
}

const count = (many: number) => (many === 1 ? '1 delivery is queued' : `${many} deliveries are queued`);
