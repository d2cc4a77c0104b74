/** The check of `relay doctor` for the store of queued deliveries and its secret. */
import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, firstOf, makeSecret, ok, secretSet, warning } from '@form-relay/base/finding';
import type { CheckContext } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import { weaknessOf } from '@form-relay/schema/variables';
import { foreignIn } from '@form-relay/stores/entry';
import { failed } from '@form-relay/stores/failures';
import { storeFailure, checkTimeoutMs as timeoutMs, unreachableFromHere } from '@form-relay/stores/index';
import { timeLimit } from '@form-relay/stores/open_store';
import type { Leases, Queued } from '@form-relay/stores/store';
import { isHeld } from './held.ts';
import { type QueueConfig, storeOpener } from './open_stores.ts';
import { findOutput } from './output_match.ts';
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
      ...(await waiting(store.leases, keep, config)),
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

/** Reports as a warning what only the owner can resolve, and entries of newer relays, which this relay leaves unchanged. */
async function waiting(
  leases: Leases,
  { in: place }: QueueConfig,
  config: Pick<Config, 'forms'>,
): Promise<readonly Finding[]> {
  const { due, deadLetters, oldestKeptAt } = totalOf(await leases.count());
  const { foreign, orphans } = await undeliverable(leases, config);
  const since =
    oldestKeptAt === undefined ? '' : `, the oldest since ${new Date(oldestKeptAt).toISOString()}`;
  const says = [`${count(due + deadLetters)}${since}`];
  const remedies: string[] = [];
  if (deadLetters > 0) {
    says.push(`dead letters: ${deadLetters}`);
    remedies.push('relay kept list shows the reason; fix the cause, then run relay kept retry.');
  }
  if (orphans > 0) {
    says.push(`for outputs that this config lacks: ${orphans}`);
    remedies.push(
      'Unless another relay delivers them, add these outputs again, or run relay kept retry --output INDEX.',
    );
  }
  const queued =
    remedies.length > 0
      ? warning(place.name, says.join('; '), remedies.join(' '))
      : ok(place.name, due === 0 ? 'no deliveries are queued' : `${count(due)} and will be retried${since}`);
  const newer = `${count(foreign)}: ${failed('store_newer').message}`;
  return foreign > 0 ? [queued, failure(place.name, newer, 'Update this relay.')] : [queued];
}

/** Counts entries of newer relays, and those due whose output the config lacks. */
async function undeliverable(leases: Leases, { forms }: Pick<Config, 'forms'>) {
  const found = { foreign: 0, orphans: 0 };
  // Listing a queue hides its messages for a while.
  if (leases.notes) return found;
  const until = performance.now() + timeoutMs;
  for await (const { kept, deadLetter } of leases.list()) {
    const form = forms.get(kept.form);
    const isRetried = !deadLetter && !isHeld(kept) && kept.output.of > 0;
    if (foreignIn(kept)) found.foreign += 1;
    else if (isRetried && (!form || findOutput(form, kept.output) === undefined)) found.orphans += 1;
    if (performance.now() > until) break;
  }
  return found;
}

const count = (many: number) => (many === 1 ? '1 delivery is queued' : `${many} deliveries are queued`);
