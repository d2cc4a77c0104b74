import { type CommandContext, CommandFailed } from '@form-relay/core/command';
import { isHeld, released } from '@form-relay/queue/held';
import { assignment, type Leases, type Listed, outputIdentity, type Queued } from '@form-relay/queue/index';
import { printable } from '@form-relay/yaml/show_problems';
import { writeDocument } from '../archive/document.ts';
import { chooser } from './list.ts';
import { queuedOutput, readKept } from './open.ts';
import { deliverKept, type Ending, putBack, settleAll } from './settle.ts';
import {
  type ChoiceOptions,
  choiceOf,
  deliveries,
  keysOf,
  type OpenStore,
  type StoreOptions,
  Troubles,
  withStore,
} from './with_store.ts';

interface DeliverOptions extends StoreOptions, ChoiceOptions {
  /** For deliveries whose output is gone: the index, in their form's `outputs`, of the output that gets them. */
  readonly output?: number;
  readonly json?: boolean;
}

/** Delivers what is kept, from here and now, and says of each what became of it. Exit code 1 unless all of it arrived. */
export const deliverHere = (
  ids: readonly string[],
  options: DeliverOptions,
  context: CommandContext,
): Promise<void> =>
  withStore(options, context, async (open) => {
    const { config, relay, leases } = open;
    if (!config) throw new CommandFailed('give the config with its outputs with --config');
    const { isChosen, unmet } = chooser(choiceOf(options, ids));
    const { services, settings } = relay;
    const context = {
      config,
      services,
      settings,
      // A held submission is delivered only if its owner names it.
      isChosen: (one: Listed) => (ids.length > 0 || !isHeld(one.kept)) && isChosen(one),
      output: options.output,
      keys: keysOf(open),
      isStopped: stopSignal(),
    };
    const totals = { delivered: 0, failed: 0, left: 0 };
    await deliverKept(leases, context, (ending) => {
      totals[ending.result] += 1;
      process.stdout.write(options.json ? asJson(ending) : asText(ending));
    });
    if (!options.json) process.stdout.write(inWords(totals));
    if (totals.failed + totals.left > 0) process.exitCode = 1;
    new Troubles().end('that do not exist', unmet);
  });

/** The first SIGINT lets the deliveries under way finish; the second ends the process. */
function stopSignal(): () => boolean {
  let isStopped = false;
  process.once('SIGINT', () => {
    isStopped = true;
    process.stderr.write('finishing the current delivery; press again to stop at once\n');
  });
  return () => isStopped;
}

function asJson({ kept, result, reason, to }: Ending): string {
  const line = writeDocument({ id: kept.id, form: kept.form, to, result, reason: reason ?? null });
  return line.ok ? `${line.value}\n` : '';
}

const asText = ({ kept, result, reason, to }: Ending): string =>
  `${printable(`${result}  ${kept.id}  ${kept.form}  ${to}${reason === undefined ? '' : `: ${reason}`}`)}\n`;

function inWords({ delivered, failed, left }: Record<Ending['result'], number>): string {
  if (delivered + failed + left === 0) return 'nothing to deliver\n';
  const others = [...(failed > 0 ? [`${failed} failed`] : []), ...(left > 0 ? [`${left} left`] : [])];
  return `${[`${delivered} delivered`, ...others].join(', ')}\n`;
}

interface RetryOptions extends StoreOptions, ChoiceOptions {
  /** Also those that are tried again by themselves, later. */
  readonly all?: boolean;
  /** For deliveries whose output is gone: the index, in their form's `outputs`, of the output that gets them. */
  readonly output?: number;
  readonly json?: boolean;
}

/** Has the relay try again now what waits for its owner. */
export const retryKept = (
  ids: readonly string[],
  options: RetryOptions,
  context: CommandContext,
): Promise<void> =>
  withStore(options, context, async (open) => {
    const troubles = new Troubles();
    const choice = choiceOf(options, ids);
    // The relay reschedules deliveries without an output, so that they do not become dead letters.
    const isForGone = options.output !== undefined;
    const isNamed = ids.length > 0 || choice.state !== undefined || options.all || isForGone;
    const { isChosen, unmet } = chooser(isNamed ? choice : { ...choice, state: 'dead_letter' });
    const assigned = assigning(open, options.output, troubles, ids.length > 0);
    const isWanted = (one: Listed) =>
      (ids.length > 0 || !isHeld(one.kept)) && isChosen(one) && assigned(one.kept) !== undefined;
    const dueAt = open.relay.services.now();
    const leases = open.leases.leaseMatching(isWanted);
    const number = await settleAll(isForGone ? unaltered(leases, open, troubles) : leases, (lease) =>
      lease.reschedule(dueAt, asReleased(assigned(lease.kept) ?? lease.kept, dueAt)),
    );
    process.stdout.write(
      options.json ? `${JSON.stringify({ due: number })}\n` : `${deliveries(number)} due now\n`,
    );
    troubles.end('unchanged', unmet);
  });

const asReleased = (kept: Queued, now: number): Queued => (isHeld(kept) ? released(kept, now) : kept);

/** The leases whose content is as it was kept. Altered content must not go to another output. */
async function* unaltered(
  leases: ReturnType<Leases['leaseMatching']>,
  open: OpenStore,
  { tell }: Troubles,
): ReturnType<Leases['leaseMatching']> {
  const keys = keysOf(open);
  for await (const lease of leases) {
    const read = readKept(lease.kept, keys);
    if (read.ok) yield lease;
    else {
      tell(lease.kept.id, read.error);
      await putBack(lease, open.relay.services);
    }
  }
}

/**
 * The delivery with the output that is to get it: `undefined` where it has its own, or its form has no such output,
 * which is reported once.
 */
function assigning(
  { config, relay }: OpenStore,
  place: number | undefined,
  { tell }: Troubles,
  areNamed: boolean,
): (kept: Queued) => Queued | undefined {
  if (place === undefined) return (kept) => kept;
  if (!config) throw new CommandFailed('--output needs the config: add --config');
  const reported = new Set<string>();
  const tellOnce = (id: string, words: string) => {
    if (!reported.has(id)) tell(id, words);
    reported.add(id);
  };
  return (kept) => {
    const own = queuedOutput(kept, config);
    const target = own.ok ? own : queuedOutput(kept, config, place);
    if (target.ok && !own.ok) {
      const given = { ...kept, output: outputIdentity(target.value.form, place) };
      return { ...given, assigned: assignment(given, relay.services.env('KEEP_SECRET') ?? '') };
    }
    if (!target.ok) tellOnce(kept.id, target.error);
    else if (areNamed)
      tellOnce(kept.id, `is for outputs[${target.value.place}], which still exists; try without --output`);
    return undefined;
  };
}
