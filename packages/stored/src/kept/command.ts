/** The command `relay kept`. */
import {
  type Command,
  type CommandContext,
  CommandFailed,
  command,
  flag,
  option,
  repeated,
} from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { isHeld, released } from '@form-relay/queue/held';
import { assignment, type Leases, type Listed, outputIdentity, type Queued } from '@form-relay/queue/index';
import { anyText, fileName } from '@form-relay/schema/scalars';
import { printable } from '@form-relay/yaml/problem';
import { writeDocument } from '../archive/read_entry.ts';
import { aside, due, form, format, olderThan, output, store } from '../options.ts';
import { chooser } from './list.ts';
import { queuedOutput, readKept } from './open.ts';
import { dropKept, exportKept, listKept, setUpKeep, showKept } from './print.ts';
import { deliverKept, type Ending, putBack, settleAll } from './settle.ts';
import {
  type ChoiceOptions,
  choiceOf,
  deliveries,
  keysOf,
  type OpenStore,
  type StoreOptions,
  Troubles,
  tellNone,
  withStore,
} from './with_store.ts';

const which = 'ids of deliveries or submissions, from relay kept list or the log';

const list = command({
  name: 'list',
  summary: 'print a line for each queued delivery',
  description: 'print a line for each queued delivery: its age, output and reason, and the next retry',
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    show: flag('also the first words of each submission'),
    json: flag('print JSON Lines'),
  },
  examples: [
    ['relay kept list', 'queued deliveries, and a count per form'],
    ['relay kept list --aside --json', 'dead letters, for programs'],
  ],
  run: (options, context) => listKept(options, context),
});

const show = command({
  name: 'show',
  summary: 'print a queued delivery',
  description: 'print all details of a queued delivery as JSON, and save its files',
  arguments: { ids: { ...repeated('ids', which, anyText), isRequired: true as const } },
  options: {
    in: store,
    show: flag('also print submitted values'),
    files: option('folder', 'save its files in this folder; never overwrites files', fileName),
  },
  examples: [['relay kept show 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11 --show', 'with submitted values']],
  run: ({ ids = [], ...options }, context) => showKept(ids, options, context),
});

const retry = command({
  name: 'retry',
  summary: 'retry deliveries now',
  description: 'retry deliveries now, after you have fixed the cause',
  arguments: { ids: repeated('ids', `${which}. Default: all dead letters`, anyText) },
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    output,
    all: flag('also deliveries that the relay would retry later'),
    json: flag('print the number as JSON'),
  },
  examples: [
    ['relay kept retry', 'all dead letters'],
    ['relay kept retry --form contact --output 0', 'deliver to outputs[0] instead of a removed output'],
  ],
  run: ({ ids = [], ...options }, context) => retryKept(ids, options, context),
});

const deliver = command({
  name: 'deliver',
  summary: 'deliver queued submissions now, from this machine',
  description: 'deliver queued submissions now, from this machine, as the relay would, and print each result',
  arguments: { ids: repeated('ids', `${which}. Default: all`, anyText) },
  options: { in: store, form, olderThan, due, aside, output, json: flag('print JSON Lines') },
  notes: 'Needs the config and the environment of the outputs.\nExit code: 0 if all was delivered, 1 if not.',
  examples: [['relay kept deliver --aside', 'deliver dead letters now']],
  run: ({ ids = [], ...options }, context) => deliverHere(ids, options, context),
});

const drop = command({
  name: 'drop',
  summary: 'delete queued deliveries',
  description: 'delete queued deliveries permanently',
  arguments: { ids: repeated('ids', `${which}. Default: all selected deliveries`, anyText) },
  options: {
    in: store,
    form,
    olderThan,
    due,
    aside,
    all: flag('all queued deliveries'),
    yes: flag('delete without ids; otherwise, the command only lists the selected deliveries'),
  },
  examples: [
    ['relay kept drop 7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11', 'all queued deliveries of a submission'],
    ['relay kept drop --aside --older-than 90d --yes', 'dead letters older than 90 days'],
  ],
  run: async ({ ids = [], all, ...options }, context) => {
    const { form, olderThan, due, aside } = options;
    if (ids.length === 0 && [form, olderThan, due, aside, all].every((one) => one === undefined))
      throw context.misuse(
        "give ids, or select with '--form', '--older-than', '--due', '--aside' or '--all'",
      );
    return dropKept(ids, options, context);
  },
});

const exported = command({
  name: 'export',
  summary: 'print queued submissions as CSV or JSON Lines',
  description: 'print queued submissions and their pending outputs as CSV for spreadsheets, or as JSON Lines',
  options: { in: store, format, form, olderThan, due, aside },
  examples: [['relay kept export --form contact > contact.csv', 'to open in a spreadsheet']],
  run: (options, context) => exportKept(options, context),
});

const setup = command({
  name: 'setup',
  summary: 'set up the store',
  description: 'set up the store, such as the stream of nats://…, and print what changed',
  options: { in: store },
  examples: [
    ['relay kept setup', 'before the first relay starts, and after you change the store or its servers'],
  ],
  run: (options, context) => setUpKeep(options, context),
});

const kept: Command = {
  name: 'kept',
  alias: 'keep',
  summary: 'list and retry failed deliveries',
  commands: [list, show, retry, deliver, drop, exported, setup],
};

export const plugin: Plugin = { name: 'kept', commands: [kept] };

interface DeliverOptions extends StoreOptions, ChoiceOptions {
  /** For deliveries whose output was removed: the index, in the form's `outputs`, of the output to use instead. */
  readonly output?: number;
  readonly json?: boolean;
}

/** Delivers queued deliveries from here and now, and prints each result. The exit code is 1 unless all were delivered. */
const deliverHere = (
  ids: readonly string[],
  options: DeliverOptions,
  context: CommandContext,
): Promise<void> =>
  withStore(options, context, async (open) => {
    const { config, relay, leases } = open;
    if (!config) throw new CommandFailed('the config with the outputs is missing; add --config');
    const choosing = chooser({ ...choiceOf(options, ids), holds: false });
    const { services, settings } = relay;
    const context = {
      config,
      services,
      settings,
      isChosen: choosing.isChosen,
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
    tellNone(choosing, open);
    if (totals.failed + totals.left > 0) process.exitCode = 1;
    new Troubles().end('not found', choosing.unmet);
  });

/** Handles SIGINT: the first one lets the current delivery finish; the second one ends the process. */
function stopSignal(): () => boolean {
  let isStopped = false;
  process.once('SIGINT', () => {
    isStopped = true;
    process.stderr.write('finishing the current delivery; press Ctrl+C again to stop immediately\n');
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
  /** Also deliveries that the relay would retry later. */
  readonly all?: boolean;
  /** For deliveries whose output was removed: the index, in the form's `outputs`, of the output to use instead. */
  readonly output?: number;
  readonly json?: boolean;
}

/** Lets the relay retry dead letters now, or other deliveries that are selected. */
const retryKept = (ids: readonly string[], options: RetryOptions, context: CommandContext): Promise<void> =>
  withStore(options, context, async (open) => {
    const troubles = new Troubles();
    const choice = { ...choiceOf(options, ids), holds: false };
    // With --output, deliveries that the relay still reschedules are included, before they become dead letters.
    const isForGone = options.output !== undefined;
    const isNamed = ids.length > 0 || choice.state !== undefined || options.all || isForGone;
    const choosing = chooser(isNamed ? choice : { ...choice, state: 'dead_letter' });
    const assigned = assigning(open, options.output, troubles, ids.length > 0);
    const isWanted = (one: Listed) => choosing.isChosen(one) && assigned(one.kept) !== undefined;
    const dueAt = open.relay.services.now();
    const leases = open.leases.leaseMatching(isWanted);
    const number = await settleAll(isForGone ? unaltered(leases, open, troubles) : leases, (lease) =>
      lease.reschedule(dueAt, asReleased(assigned(lease.kept) ?? lease.kept, dueAt)),
    );
    process.stdout.write(
      options.json ? `${JSON.stringify({ due: number })}\n` : `${deliveries(number)} due now\n`,
    );
    tellNone(choosing, open, isNamed ? '' : '; --all also retries what the relay would retry later');
    troubles.end('unchanged', choosing.unmet);
  });

const asReleased = (kept: Queued, now: number): Queued => (isHeld(kept) ? released(kept, now) : kept);

/** The leases with unaltered content. Altered content must not go to another output. */
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
 * Assigns a delivery to the chosen output. `undefined` if its own output still exists or the chosen one does
 * not, or if neither a choice nor its own output exists, which is reported once.
 */
function assigning(
  { config, relay }: OpenStore,
  place: number | undefined,
  { tell }: Troubles,
  areNamed: boolean,
): (kept: Queued) => Queued | undefined {
  if (!config && place === undefined) return (kept) => kept;
  if (!config) throw new CommandFailed('--output needs the config: add --config');
  const reported = new Set<string>();
  const tellOnce = (id: string, words: string) => {
    if (!reported.has(id)) tell(id, words);
    reported.add(id);
  };
  return (kept) => {
    const own = queuedOutput(kept, config);
    if (own.ok && place === undefined) return kept;
    const target = own.ok ? own : queuedOutput(kept, config, place);
    if (target.ok && !own.ok) {
      const given = { ...kept, output: outputIdentity(target.value.form, target.value.place) };
      return { ...given, assigned: assignment(given, relay.services.env('KEEP_SECRET') ?? '') };
    }
    if (!target.ok) tellOnce(kept.id, target.error);
    else if (areNamed)
      tellOnce(kept.id, `is for outputs[${target.value.place}], which still exists; try without --output`);
    return undefined;
  };
}
