import { ClientError } from '@form-relay/base/client_error';
import { err, type Result } from '@form-relay/base/result';
import type { Config } from '@form-relay/core/config';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { ContentKeys } from '@form-relay/queue/content';
import { isHeld } from '@form-relay/queue/held';
import {
  type Lease,
  type Leases,
  type Listed,
  nextTry,
  type Queued,
  type QueuedSubmission,
  reasonOf,
} from '@form-relay/queue/index';
import { deliverQuietly } from '@form-relay/queue/retry_policy';
import { neededIn } from '@form-relay/schema/variables';
import { outputInWords, type QueuedOutput, queuedOutput, readKept, typeInWords } from './open.ts';

/** How many leases are settled at once, so that a store can write them together. */
const mostAtOnce = 256;

/** Settles all leases, and returns how many. Rejects with the first failure after the others have finished. */
export async function settleAll<C extends Lease>(
  leases: AsyncIterable<C>,
  settle: (lease: C) => Promise<void>,
): Promise<number> {
  const underWay = new Set<Promise<void>>();
  let number = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const lease of leases) {
      const settling = settle(lease)
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => underWay.delete(settling));
      underWay.add(settling);
      number += 1;
      if (underWay.size >= mostAtOnce) await Promise.race(underWay);
      if (failure) break;
    }
  } catch (error) {
    failure ??= { error };
  }
  await Promise.all(underWay);
  if (failure) throw failure.error;
  return number;
}

/** Returns a lease, with the entry in its previous state or with the given changes. */
export async function putBack(
  lease: Lease & { readonly listed: Listed },
  { now, random }: Pick<Services, 'now' | 'random'>,
  kept: Queued = lease.kept,
): Promise<void> {
  const { deadLetter, dueAt } = lease.listed;
  if (deadLetter !== undefined) await lease.deadLetter(deadLetter, kept);
  else await lease.reschedule(dueAt ?? nextTry(kept.keptAt, now(), random), kept);
}

/** The parts that are needed to deliver. */
interface Delivering {
  readonly config: Config;
  readonly services: Services;
  readonly settings: Settings;
  readonly keys: ContentKeys;
  readonly isChosen: (one: Listed) => boolean;
  /** Stops further deliveries once it returns `true`. */
  readonly isStopped: () => boolean;
  /** The index of the output for deliveries whose own output was removed. */
  readonly output?: number | undefined;
}

/** The result of one delivery. */
export interface Ending {
  readonly kept: Queued;
  /** `left`: there was no attempt, and the delivery stays queued unchanged. */
  readonly result: 'delivered' | 'failed' | 'left';
  /** Why it was not delivered. */
  readonly reason?: string;
  /** The destination in words, as far as known. */
  readonly to: string;
}

/** After this many failures in a row, the other deliveries to a destination are left for later. */
const mostFailures = 3;

/** Called after each delivery, because a million may be left before the first attempt. */
type TellEnding = (ending: Ending) => void;

/** Delivers the selected deliveries one after another, each to its own output. Throws the errors of the store. */
export async function deliverKept(
  leases: Pick<Leases, 'leaseMatching'>,
  context: Delivering,
  tell: TellEnding,
): Promise<void> {
  const { isChosen, isStopped, config, services, settings, output, keys } = context;
  /** Failures in a row, by destination in words. */
  const failures = new Map<string, number>();
  const isWanted = (one: Listed): boolean => {
    if (isStopped() || !isChosen(one)) return false;
    const { kept } = one;
    const plan = planOf(kept, config, services, output);
    const to = plan.ok ? outputInWords(plan.value) : typeInWords(kept.output.type);
    const isDown = (failures.get(to) ?? 0) >= mostFailures;
    if (plan.ok && !isDown) return true;
    tell({ kept, result: 'left', reason: plan.ok ? down : plan.error, to });
    return false;
  };
  const attempt = async (lease: Lease & { readonly listed: Listed }): Promise<Ending> => {
    const { kept } = lease;
    const found = queuedOutput(kept, config, output);
    const read = found.ok ? wantedBy(found.value, readKept(kept, keys), settings) : found;
    if (!found.ok || !read.ok) {
      await putBack(lease, services);
      const reason = read.ok ? '' : read.error;
      return { kept, result: 'left', reason, to: typeInWords(kept.output.type) };
    }
    const to = outputInWords(found.value);
    const { form, place } = found.value;
    const { error } = await deliverQuietly(form, place, { ...read.value, deliveryId: kept.id });
    if (error === undefined) {
      failures.delete(to);
      await settleDelivered(lease);
      return { kept, result: 'delivered', to };
    }
    const mayPass = error instanceof ClientError && error.retryAfterMs !== undefined;
    if (mayPass) failures.set(to, (failures.get(to) ?? 0) + 1);
    const why = reasonOf(error);
    // A held entry stays held, as if there had been no attempt.
    await putBack(lease, services, isHeld(kept) ? kept : { ...kept, tries: kept.tries + 1, why });
    return { kept, result: 'failed', reason: why?.words ?? '', to };
  };
  for await (const lease of leases.leaseMatching(isWanted)) {
    tell(await attempt(lease));
    if (isStopped()) break;
  }
}

/** An error for a submission that the output does not accept. */
const wantedBy = (
  { form, output: { accepts } }: QueuedOutput,
  read: Result<QueuedSubmission, string>,
  settings: Settings,
): Result<QueuedSubmission, string> =>
  read.ok && accepts && !accepts(restoreSubmission(form, read.value, settings))
    ? err('is not accepted by the `when` or `aside` of its output')
    : read;

const down = 'the server failed several times in a row; skipped for now';

async function settleDelivered(lease: Lease): Promise<void> {
  try {
    await lease.done();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const reason = `${lease.kept.id} was delivered, but the store could not record it, so it may be delivered again under the same id`;
    throw new ClientError(`${reason}: ${error.message}`);
  }
}

/** The output for a delivery if it can be tried from here; or a text that explains why it cannot. */
function planOf(
  kept: Queued,
  config: Config,
  services: Pick<Services, 'env'>,
  place?: number,
): Result<QueuedOutput, string> {
  const found = queuedOutput(kept, config, place);
  if (!found.ok) return found;
  const missing = missingVariables(config, found.value, services);
  if (missing.length > 0) return err(`needs ${missing.join(' and ')}, which is not set here`);
  return found;
}

/** The variables that an output needs but the environment lacks. */
export function missingVariables(
  config: Pick<Config, 'env'>,
  { form, place }: Pick<QueuedOutput, 'form' | 'place'>,
  { env }: Pick<Services, 'env'>,
): readonly string[] {
  const at = ['forms', form.id, 'outputs', place];
  const needed = neededIn(config).filter(
    ({ path, name }) => at.every((step, index) => path[index] === step) && !env(name),
  );
  return [...new Set(needed.map(({ name }) => name))];
}
