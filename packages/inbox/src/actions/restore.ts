import { ClientError } from '@form-relay/core/base/client_error';
import { doubtNames } from '@form-relay/spam/score/marks';
import type { Form } from '@form-relay/core/form';
import type { JournalDelivery } from '@form-relay/telemetry/journal/lines';
import { type Listener, restore as restoreSubmission } from 'TODO-relay/base';
import type { Outcome } from '@form-relay/core/outcome';
import { labelOf } from '@form-relay/core/fields/field';
import { reasonOf } from '@form-relay/queue/index';
import { missingVariables } from '@form-relay/stored/kept/deliver';
import { outputInWords } from '@form-relay/stored/kept/open';
import type { ActionDone } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { type Located, locate, readContent } from './content.ts';
import { formGone, lacks, noConfig } from './deliver.ts';
import { done, refused } from './done.ts';
import { before } from './journal.ts';
import { withLock } from './lock.ts';
import { note } from './mark.ts';
import type { ActionWorld } from './world.ts';

/**
 * Sends what was dropped or set aside where it would have gone. Its deliveries have the ids that they would have had. A dropped
 * one leaves its archive only once every output took or kept it.
 */
export async function restore(entry: IndexedEntry, world: ActionWorld, opened: unknown): Promise<ActionDone> {
  const places = locate(entry, world);
  const dropped = places.filter((one) => one.in.isDropped);
  const past = before(entry);
  const wasAside = dropped.length === 0 && (entry.state === 'aside' || past.wasAside);
  if (dropped.length === 0 && !wasAside)
    return refused(
      entry.state === 'dropped'
        ? 'its content was not stored; `spam.keep_dropped` does that from now on'
        : 'it was neither dropped nor set aside',
    );
  if (wasAside && past.wasRestored)
    return refused('it was restored before; deliver it again to single outputs');
  const from = dropped.length > 0 ? dropped : places;
  return withLock(from, () => restoreFrom(from, { entry, wasAside, taken: past.taken }, world, opened));
}

interface Restoring {
  readonly entry: IndexedEntry;
  readonly wasAside: boolean;
  /** Outputs that took or kept it when it was restored before, in part. */
  readonly taken: ReadonlySet<number>;
}

async function restoreFrom(
  from: readonly Located[],
  { entry, wasAside, taken }: Restoring,
  world: ActionWorld,
  opened: unknown,
): Promise<ActionDone> {
  const config = await world.config();
  if (!config) return refused(noConfig);
  const form = config.forms.get(entry.form);
  if (!form) return refused(formGone(entry.form));
  const missing = form.outputs.flatMap((output, place) =>
    missingVariables({ form, place, output }, world.effects),
  );
  if (missing.length > 0) return refused(lacks([...new Set(missing)]));
  const read = await readContent(from, form, world, opened);
  if (!read.ok) return refused(read.error);
  const values = new Map([...read.value.values].filter(([name]) => !isMark(name) && !isFile(form, name)));
  const endings = new Map<number, JournalDelivery>();
  const restored = { ...read.value, values, wasAside, taken };
  const outcome = await restoreSubmission(form, restored, world, noteIn(endings));
  const words = endingInWords(outcome, form, endings);
  const all = inOrder(endings);
  const isSent = outcome.kind === 'delivered' || all.some(({ result }) => result === 'delivered');
  if (isSent) {
    const ms = Math.max(0, world.effects.now() - entry.receivedAt);
    world.write({
      kind: 'submission',
      at: new Date(entry.receivedAt).toISOString(),
      id: entry.id,
      form: form.id,
      result: outcome.kind === 'delivered' && outcome.isKept ? 'kept' : outcome.kind,
      ms,
      restored: true,
      deliveries: all,
    });
  }
  const hasAll = outcome.kind === 'delivered' && all.every(({ result }) => result !== 'failed');
  if (!hasAll) return refused(wasAside ? words : `${words}. It stays among the dropped ones`);
  if (!wasAside) for (const one of from) await one.in.remove(one.path);
  return done(`Restored: ${words}.${await notSpam(entry, from, world)}`);
}

/** Whoever restores something says that it is no spam. The restored one is delivered even if that cannot be noted. */
const notSpam = async (entry: IndexedEntry, places: readonly Located[], world: ActionWorld) => {
  try {
    return (await note(entry, 'ham', places, world)) ? ' Marked as not spam.' : '';
  } catch (error) {
    if (error instanceof ClientError) return ` Not marked: ${error.message}.`;
    throw error;
  }
};

const isMark = (name: string) => name === doubtNames.tag || name === doubtNames.aside;

/** Validation takes the files themselves. */
const isFile = ({ fields }: Form, name: string) =>
  fields.some((field) => field.name === name && field.takeFiles);

const noteIn =
  (endings: Map<number, JournalDelivery>): Listener =>
  (event) => {
    const note = (more: Omit<JournalDelivery, 'output' | 'type'>) => {
      const { output, type } = event as { readonly output: number; readonly type: string };
      endings.set(output, { ...endings.get(output), output, type, ...more });
    };
    switch (event.kind) {
      case 'delivered':
        return note({ result: 'delivered', attempts: event.attempts, ms: event.ms });
      case 'delivery_failed': {
        const reason = reasonOf(event.error).words;
        return note({ result: 'failed', attempts: event.attempts, ms: event.ms, reason });
      }
      case 'delivery_kept':
        return note({ result: 'kept' });
      case 'delivery_skipped':
        return note({ result: 'skipped' });
      default:
        return undefined;
    }
  };

const inOrder = (endings: ReadonlyMap<number, JournalDelivery>): readonly JournalDelivery[] =>
  [...endings.values()].toSorted((one, other) => one.output - other.output);

function endingInWords(outcome: Outcome, form: Form, endings: ReadonlyMap<number, JournalDelivery>): string {
  if (outcome.kind === 'invalid') {
    const wrong = outcome.errors.map(({ field, ...message }) => {
      const declared = form.fields.find(({ name }) => name === field);
      return `${declared ? labelOf(declared) : field}: ${form.say(message).replace(/\.$/, '')}`;
    });
    return `the form does not take these values (any more): ${wrong.join('; ')}`;
  }
  if (outcome.kind === 'held') return 'a mail asks the address for its confirmation first';
  const parts = inOrder(endings).flatMap(({ output: place, type, result, reason }) => {
    const output = form.outputs[place];
    const to = output ? outputInWords({ output }) : type;
    if (result === 'skipped') return [];
    return [result === 'failed' ? `not taken by ${to}: ${reason}` : `${result}: ${to}`];
  });
  if (parts.length > 0) return parts.join('; ');
  return outcome.kind === 'undelivered'
    ? 'no output is left that would take it'
    : `it ended as \`${outcome.kind}\``;
}
