import type { Effects } from '@form-relay/relay/base';
import { printable } from '@form-relay/relay/config';
import { Secrets } from '@form-relay/relay/dry_run';
import { createTransports } from '@form-relay/relay/transports';
import { writeDocument } from '@form-relay/stored/archive/document';
import {
  type Delivering,
  deliverKept,
  type Ending,
  pretendToDeliver,
  type Rehearsed,
} from '@form-relay/stored/kept/deliver';
import { chooser } from '@form-relay/stored/kept/list';
import { CommandFailed } from './command_failed.ts';
import {
  type ChoiceOptions,
  choiceOf,
  type IdentityOption,
  keysOf,
  type StoreOptions,
  Troubles,
  withStore,
} from './open_kept.ts';
import { indent, showSent } from './show_story.ts';

export interface DeliverOptions extends StoreOptions, ChoiceOptions, IdentityOption {
  /** Only to say what would be sent, and where. */
  readonly dryRun?: boolean;
  /** In a dry run, also show the messages, which contain visitors' text. */
  readonly show?: boolean;
  /** For deliveries whose output is gone: the index, in their form's `outputs`, of the output that gets them. */
  readonly output?: number;
  readonly json?: boolean;
}

/** Delivers what is kept, from here and now, and says of each what became of it. Exit code 1 unless all of it arrived. */
export const deliverHere = (ids: readonly string[], options: DeliverOptions): Promise<void> =>
  withStore(options, async (open) => {
    const { config, relay, store } = open;
    if (!config) throw new CommandFailed('--config names the config that says where it is delivered');
    const { isChosen, unmet } = chooser(choiceOf(options, ids));
    const secrets = new Secrets();
    const effects = { ...relay.effects, env: noting(relay.effects.env, secrets) };
    const world: Delivering = {
      config,
      effects,
      transports: createTransports(effects, relay.settings.mailFromAddress),
      keys: await keysOf(open, options),
      isChosen,
      isStopped: stopSignal(),
      output: options.output,
    };
    const totals = { delivered: 0, failed: 0, left: 0 };
    const tell = (ending: Ending | Rehearsed) => {
      totals[ending.result] += 1;
      process.stdout.write(lineOf(ending, options));
    };
    if (options.dryRun) await pretendToDeliver(store, world, secrets, tell);
    else await deliverKept(store, world, tell);
    if (!options.json) process.stdout.write(totalsInWords(totals, options));
    if (totals.failed + totals.left > 0) process.exitCode = 1;
    const troubles = new Troubles();
    troubles.unmet(unmet);
    troubles.end('that are not there');
  });

const noting =
  (env: Effects['env'], secrets: Secrets): Effects['env'] =>
  (name) => {
    const value = env(name);
    if (value !== undefined) secrets.add(name, value);
    return value;
  };

/** The first SIGINT lets the deliveries under way finish; the second ends the process. */
function stopSignal(): () => boolean {
  let isStopped = false;
  process.once('SIGINT', () => {
    isStopped = true;
    process.stderr.write('the delivery under way is ended first; again ends it at once\n');
  });
  return () => isStopped;
}

type Totals = Record<Ending['result'], number>;

function lineOf(ending: Ending | Rehearsed, { show, json, dryRun = false }: DeliverOptions): string {
  const sent = show && 'sent' in ending ? ending.sent : undefined;
  return json ? asJson(ending, sent) : asText(ending, dryRun, sent);
}

function asJson({ kept, result, reason, to }: Ending, sent: Rehearsed['sent'] | undefined): string {
  const line = writeDocument({ id: kept.id, form: kept.form, to, result, reason: reason ?? null, sent });
  return line.ok ? `${line.value}\n` : '';
}

const words = {
  done: { delivered: 'delivered', failed: 'failed', left: 'left' },
  dry: { delivered: 'would be delivered', failed: 'would fail', left: 'would be left' },
};

function asText(
  { kept, result, reason, to }: Ending,
  isDryRun: boolean,
  sent: Rehearsed['sent'] = [],
): string {
  const says = words[isDryRun ? 'dry' : 'done'][result];
  const line = printable(
    `${says}  ${kept.id}  ${kept.form}  ${to}${reason === undefined ? '' : `: ${reason}`}`,
  );
  return [`${line}\n`, ...sent.map((one) => `\n${indent(showSent(one))}\n`)].join('');
}

function totalsInWords({ delivered, failed, left }: Totals, { dryRun = false }: DeliverOptions): string {
  if (delivered + failed + left === 0) return 'nothing to deliver\n';
  const said = words[dryRun ? 'dry' : 'done'];
  const parts = [
    `${delivered} ${said.delivered}`,
    ...(failed > 0 ? [`${failed} ${said.failed}`] : []),
    ...(left > 0 ? [`${left} ${said.left}`] : []),
  ];
  return `${parts.join(', ')}${dryRun ? '; nothing was sent' : ''}\n`;
}
