import {
  ClientError,
  type DeliveryError,
  deliverTo,
  type Effects,
  err,
  type Listener,
  type Result,
  submissionBudgetMs,
  takes,
} from '@form-relay/relay/base';
import { type Config, formatPath, neededVariables } from '@form-relay/relay/config';
import {
  type Claim,
  type Kept,
  type KeptSubmission,
  type Listed,
  reasonOf,
  type Store,
} from '@form-relay/relay/kept';
import { scopeOf } from '@form-relay/relay/schema';
import type { Transports } from '@form-relay/relay/transports';
import { type Keys, type OwedOutput, outputInWords, owedOutput, readKept, sealed } from './open.ts';
import { putBack } from './settle.ts';

/** The means of delivering. */
export interface Delivering {
  readonly config: Config;
  readonly effects: Effects;
  readonly transports: Transports;
  readonly keys: Keys;
  readonly isChosen: (one: Listed) => boolean;
  /** Nothing further is begun once this gives `true`. */
  readonly isStopped: () => boolean;
  /** The place of the output that is to get those whose own is gone. */
  readonly output?: number | undefined;
}

/** The result of one delivery. */
export interface Ending {
  readonly kept: Kept;
  /** `left`: it was not tried. What is not delivered stays as it was. */
  readonly result: 'delivered' | 'failed' | 'left';
  /** Why, where it was not delivered. */
  readonly reason?: string;
  /** The recipient, in words, as far as known. */
  readonly to: string;
}

/** How often one that is down is tried before the rest is left to another time. */
const mostFailures = 3;

/** Learns of each as it ends: a million may be left before one is tried. */
type TellEnding = (ending: Ending) => void;

/** Delivers what is chosen, one after the other, each to the output that owes it. Throws what the store throws. */
export async function deliverKept(store: Store, world: Delivering, tell: TellEnding): Promise<void> {
  const { isChosen, isStopped, config, effects, output, keys } = world;
  /** In a row, by output in words. */
  const failures = new Map<string, number>();
  const isWanted = (one: Listed): boolean => {
    if (isStopped() || !isChosen(one)) return false;
    const { kept } = one;
    const plan = planOf(one, config, effects, keys, output);
    const to = plan.ok ? outputInWords(plan.value) : kept.output.type;
    const isDown = (failures.get(to) ?? 0) >= mostFailures;
    if (plan.ok && !isDown) return true;
    tell({ kept, result: 'left', reason: plan.ok ? down : plan.error, to });
    return false;
  };
  const attempt = async (claim: Claim & { readonly listed: Listed }): Promise<Ending> => {
    const { kept } = claim;
    const owed = owedOutput(kept, config, output);
    const read = owed.ok ? wantedBy(owed.value, await readKept(kept, keys)) : owed;
    if (!owed.ok || !read.ok) {
      await putBack(claim, effects);
      const reason = read.ok ? '' : read.error;
      return { kept, result: 'left', reason, to: kept.output.type };
    }
    const to = outputInWords(owed.value);
    const error = await deliverNow(kept, owed.value, read.value, world, () => {});
    if (error === undefined) {
      failures.delete(to);
      await settleDelivered(claim);
      return { kept, result: 'delivered', to };
    }
    const mayPass = error instanceof ClientError && error.retryAfterMs !== undefined;
    if (mayPass) failures.set(to, (failures.get(to) ?? 0) + 1);
    const why = reasonOf(error);
    await putBack(claim, effects, { ...kept, tries: kept.tries + 1, why });
    return { kept, result: 'failed', reason: why?.words ?? '', to };
  };
  for await (const claim of store.take(isWanted)) {
    tell(await attempt(claim));
    if (isStopped()) break;
  }
}

/** Rejects a submission that its output does not accept. */
const wantedBy = (
  { form, output }: OwedOutput,
  read: Result<KeptSubmission, string>,
): Result<KeptSubmission, string> =>
  read.ok && !takes(output, form, read.value.values)
    ? err('is not accepted by the `when` or `aside` of its output')
    : read;

const down = 'its server has failed several times in a row; left for another time';

async function settleDelivered(claim: Claim): Promise<void> {
  try {
    await claim.done();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const reason = `${claim.kept.id} was delivered, and the store does not take note of it, so that it may be delivered again, under the same id`;
    throw new ClientError(`${reason}: ${error.message}`);
  }
}

/** The output that is to get it, where that can be tried from here; or in words why not. */
function planOf(
  { kept, aside, isSealed, content }: Listed,
  config: Config,
  effects: Pick<Effects, 'env'>,
  { unseal }: Keys,
  place?: number,
): Result<OwedOutput, string> {
  if (aside === 'unreadable' && kept.content.length === 0 && !content)
    return err('is damaged: it is not as it was kept');
  const owed = owedOutput(kept, config, place);
  if (!owed.ok) return owed;
  const missing = missingVariables(owed.value, effects);
  if (missing.length > 0)
    return err(`needs ${missing.join(' and ')}, which the environment here does not have`);
  return isSealed && !unseal ? err(sealed) : owed;
}

/** Variables that an output needs, and the environment lacks. */
export function missingVariables(
  { form, place }: OwedOutput,
  { env }: Pick<Effects, 'env'>,
): readonly string[] {
  const at = formatPath(['forms', form.id, 'outputs', place]);
  const needed = neededVariables(form).filter(({ place, name }) => place.startsWith(at) && !env(name));
  return [...new Set(needed.map(({ name }) => name))];
}

/** Delivers it once: gives why the output has not got it. */
export async function deliverNow(
  kept: Pick<Kept, 'id'>,
  { form, place, output }: OwedOutput,
  read: KeptSubmission,
  { effects, transports }: Pick<Delivering, 'effects' | 'transports'>,
  tell: Listener,
): Promise<DeliveryError | undefined> {
  const submission = { ...read, deadline: effects.now() + submissionBudgetMs };
  const scope = scopeOf(form.id, submission, effects, form.fields);
  const context = { form, effects, transports, tell };
  const ending = await deliverTo(output, place, submission, scope, context, kept.id);
  return ending === 'taken' ? undefined : ending;
}
