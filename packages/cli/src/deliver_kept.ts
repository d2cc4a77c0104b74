import { writeDocument } from '@form-relay/stored/archive/document';
import { deliverKept, type Ending } from '@form-relay/stored/kept/deliver';
import { chooser } from '@form-relay/stored/kept/list';
import { printable } from '@form-relay/yaml/excerpt';
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

export interface DeliverOptions extends StoreOptions, ChoiceOptions, IdentityOption {
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
    const { services, settings } = relay;
    const world = {
      ...{ config, services, settings, isChosen, output: options.output },
      keys: await keysOf(open, options),
      isStopped: stopSignal(),
    };
    const totals = { delivered: 0, failed: 0, left: 0 };
    await deliverKept(store, world, (ending) => {
      totals[ending.result] += 1;
      process.stdout.write(options.json ? asJson(ending) : asText(ending));
    });
    if (!options.json) process.stdout.write(inWords(totals));
    if (totals.failed + totals.left > 0) process.exitCode = 1;
    const troubles = new Troubles();
    troubles.unmet(unmet);
    troubles.end('that are not there');
  });

/** The first SIGINT lets the deliveries under way finish; the second ends the process. */
function stopSignal(): () => boolean {
  let isStopped = false;
  process.once('SIGINT', () => {
    isStopped = true;
    process.stderr.write('the delivery under way is ended first; again ends it at once\n');
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
