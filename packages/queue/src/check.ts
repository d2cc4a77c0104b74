/** The check of `relay doctor` for the store of queued deliveries and its secret. */
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, firstOf, makeSecret, ok, secretSet, warning } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import { weaknessOf } from '@form-relay/schema/variables';
import { foreignIn } from '@form-relay/stores/entry';
import { failed } from '@form-relay/stores/failures';
import { storeFailure, checkTimeoutMs as timeoutMs, unreachableFromHere } from '@form-relay/stores/index';
import { timeLimit } from '@form-relay/stores/open_store';
import type { Leases, Queued } from '@form-relay/stores/store';
import { type QueueConfig, storeOpener } from './open_stores.ts';
import { totalOf } from './store_status.ts';

/**
 * Checks KEEP_SECRET. Without it, deliveries are stored unencrypted: in a folder, only the relay's user can
 * read them; in a queue, all its readers can.
 */
export async function probeSecret({ config, services }: CheckContext): Promise<readonly Finding[]> {
  const name = 'KEEP_SECRET';
  const keep = config?.shared.get('keep');
  if (!keep) return [];
  const secret = services.env(name) ?? '';
  if (secret !== '')
    return [secretSet(name, weaknessOf(secret), `encrypts the deliveries queued in ${keep.in.name}`)];
  return keep.in.type.isFolder
    ? []
    : [warning(name, `not set; queued submissions are stored unencrypted in ${keep.in.name}`, makeSecret)];
}

/** Checks whether the store of queued deliveries can be used, and reports what waits for its owner. */
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
    const consequence = `${forms} cannot queue deliveries, so submissions that fail are answered with 500`;
    return [storeFailure(keep.in, error, consequence, store.remedies)];
  } finally {
    await store.close();
  }
}

/** Stores and removes a test entry, which other processes will not deliver. */
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

/** Reports dead letters as a warning, because only the owner can resolve them. */
async function waiting(leases: Leases, { in: place }: QueueConfig): Promise<readonly Finding[]> {
  const { due, deadLetters, oldestKeptAt } = totalOf(await leases.count());
  const since =
    oldestKeptAt === undefined ? '' : `, the oldest since ${new Date(oldestKeptAt).toISOString()}`;
  if (due + deadLetters === 0) return [ok(place.name, 'no deliveries are queued')];
  if (deadLetters === 0) return [ok(place.name, `${count(due)} and will be retried${since}`)];
  const says = `${count(due + deadLetters)}${since}; dead letters: ${deadLetters}`;
  return [
    warning(place.name, says, 'relay kept list shows the reason; fix the cause, then run relay kept retry.'),
  ];
}

/** Reports entries of newer relays, which this relay leaves unchanged. */
async function foreign(leases: Leases, { in: place }: QueueConfig): Promise<readonly Finding[]> {
  // Listing a queue hides its messages for a while.
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
