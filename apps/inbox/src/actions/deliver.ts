import { ClientError } from '@form-relay/base/client_error';
import { parseUrl } from '@form-relay/base/url';
import type { Config } from '@form-relay/core/config';
import { deliverTo } from '@form-relay/core/pipeline/deliver';
import type { Leases, Listed } from '@form-relay/queue/index';
import { pageAt } from '@form-relay/schema/template';
import { submissionOf } from '@form-relay/stored/archive/archive';
import { keysOf, outputInWords } from '@form-relay/stored/kept/open';
import { deliverKept, type Ending, missingVariables } from '@form-relay/stored/kept/settle';
import type { ActionDone } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { readContent } from './content.ts';
import { type ActionContext, done, locate, refused, untaken } from './context.ts';

/** The time limit for a delivery with its retries. */
const deliveryMs = 24_000;

/** Retries a queued delivery immediately. The delivery stays queued unless its output accepts it. */
export async function deliver(
  entry: IndexedEntry,
  output: number,
  context: ActionContext,
): Promise<ActionDone> {
  const config = await context.config();
  if (!config) return refused(noConfig);
  const { services, settings } = context;
  let ending: Ending | undefined;
  for (const { store, id } of entry.kept) {
    const from = context.stores[store];
    if (!from || submissionOf(id) !== entry.id || placeIn(id) !== output) continue;
    await deliverKept(
      from,
      {
        config,
        services,
        settings,
        keys: keysOf(services, settings),
        isChosen: ({ kept }) => kept.id === id && kept.form === entry.form,
        isStopped: () => false,
      },
      (one) => {
        ending = one;
      },
    );
    if (ending) break;
  }
  if (!ending) return refused('the delivery is no longer queued, or is being delivered right now');
  const { result, reason = '', to } = ending;
  if (result === 'left') return refused(`not tried, ${to}: ${forPage(reason)}`);
  return result === 'delivered'
    ? done(`Delivered: ${to}.`)
    : untaken(`${to} did not accept the submission: ${reason}. The delivery stays queued`);
}

/**
 * Retries all queued deliveries of these submissions, one after the other. `begin` is awaited before each; a
 * rejection ends the run. After several failures in a row, the rest of that output is skipped.
 *
 * @param forms Form ids by submission id.
 */
export async function deliverAll(
  forms: ReadonlyMap<string, string>,
  context: ActionContext,
  { begin, isStopped, tell }: DeliverAll,
): Promise<void> {
  const config = await context.config();
  if (!config) throw new ClientError(noConfig);
  const { services, settings } = context;
  for (const store of context.stores) {
    const leases: Pick<Leases, 'leaseMatching'> = {
      async *leaseMatching(isWanted) {
        for await (const lease of store.leaseMatching(isWanted)) {
          await begin(submissionOf(lease.kept.id), lease.kept.form);
          yield lease;
        }
      },
    };
    const isChosen = ({ kept }: Listed) => forms.get(submissionOf(kept.id)) === kept.form;
    const keys = keysOf(services, settings);
    await deliverKept(leases, { config, services, settings, keys, isChosen, isStopped }, (ending) => {
      const { kept, result, reason = '', to } = ending;
      const words =
        result === 'left' ? `${to}: ${forPage(reason)}` : `${to} did not accept the submission: ${reason}`;
      tell(submissionOf(kept.id), result, words);
    });
  }
}

export interface DeliverAll {
  begin(id: string, form: string): Promise<void>;
  isStopped(): boolean;
  tell(id: string, result: Ending['result'], words: string): void;
}

/** Sends a submission to one output under a new delivery id, even if it was delivered before. */
export async function deliverAgain(
  entry: IndexedEntry,
  place: number,
  context: ActionContext,
): Promise<ActionDone> {
  const config = await context.config();
  const found = outputAt(entry.form, place, config);
  if (typeof found === 'string') return refused(found);
  const { form, output } = found;
  const { services, settings } = context;
  const missing = missingVariables(found.config, found, services);
  if (missing.length > 0) return refused(lacks(missing));
  const read = await readContent(locate(entry, context), form);
  if (!read.ok) return refused(read.error);
  const { id, receivedAt, values, files, page: written } = read.value;
  const url = written && parseUrl(written.url);
  const now = services.now();
  const { reason } = await deliverTo(output, place, {
    requestId: id,
    formId: form.id,
    receivedAt,
    values,
    files,
    page: url && pageAt(url, written?.title ?? '', settings.allowedOrigins),
    deadline: now + deliveryMs,
    services: form.services,
    deliveryId: `${id}-${place}-again-${now.toString(36)}`,
  });
  const to = outputInWords(found);
  return reason === undefined
    ? done(`Delivered again: ${to}.`)
    : untaken(`${to} did not accept the submission: ${reason}`);
}

const placeIn = (id: string) => Number(/-(\d+)(?:-again-[\da-z]+)?$/.exec(id)?.[1]);

function outputAt(name: string, place: number, config: Config | undefined) {
  if (!config) return noConfig;
  const form = config.forms.get(name);
  if (!form) return formGone(name);
  const output = form.outputs[place];
  if (!output) return `the form "${name}" no longer has outputs[${place}]`;
  return output.transport
    ? { config, form, place, output }
    : `this version of the relay has no output type "${output.type}"`;
}

export const noConfig = 'the config does not load; run relay config validate to see why';
export const formGone = (form: string) => `the config no longer has a form "${form}"`;
export const lacks = (names: readonly string[]) =>
  `set ${names.join(' and ')} in the environment of the inbox`;

/** Removes command-line options from a reason, because the page does not have them. */
const forPage = (reason: string) => reason.replace(/ with --output$/, ' with relay kept deliver --output');
