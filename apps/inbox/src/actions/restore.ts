import { ClientError } from '@form-relay/base/client_error';
import { parseUrl } from '@form-relay/base/url';
import { noValues } from '@form-relay/base/values';
import { labelOf } from '@form-relay/core/fields/label';
import type { Form } from '@form-relay/core/form';
import { outcomeInLog } from '@form-relay/core/kit';
import type { FormOutput } from '@form-relay/core/outputs/output';
import { pageAt } from '@form-relay/core/outputs/template_context';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { validate } from '@form-relay/core/pipeline/validate';
import type { Outcome, Submission } from '@form-relay/core/submission';
import { isSetAside, linesOf } from '@form-relay/stored/journal/lines_of';
import { missingVariables } from '@form-relay/stored/kept/deliver';
import { outputInWords } from '@form-relay/stored/kept/open';
import type { JournalDelivery } from '@form-relay/telemetry/journal/lines';
import { deliveryOf } from '@form-relay/telemetry/journal/submission_lines';
import type { ActionDone } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { type Content, readContent, sentValues } from './content.ts';
import { formGone, lacks, noConfig } from './deliver.ts';
import { withLock } from './lock.ts';
import { note } from './mark.ts';
import { type ActionWorld, done, type Located, locate, refused } from './world.ts';

/** Sends it where it would have gone, under the ids of then. A dropped one goes once every output took or kept it. */
export async function restore(entry: IndexedEntry, world: ActionWorld): Promise<ActionDone> {
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
  return withLock(from, () => restoreFrom(from, { entry, wasAside, taken: past.taken }, world));
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
): Promise<ActionDone> {
  const config = await world.config();
  if (!config) return refused(noConfig);
  const form = config.forms.get(entry.form);
  if (!form) return refused(formGone(entry.form));
  const missing = form.outputs.flatMap((_, place) =>
    missingVariables(config, { form, place }, world.services),
  );
  if (missing.length > 0) return refused(lacks([...new Set(missing)]));
  const read = await readContent(from, form);
  if (!read.ok) return refused(read.error);
  const submission = submissionOf(form, read.value, { wasAside, taken }, world);
  const outcome = validate(submission, form) ?? (await (wasAside ? form.deliver : form.accept)(submission));
  const deliveries = submission.deliveries.flatMap((one) => (one ? [deliveryOf(one)] : []));
  const words = endingInWords(outcome, form, deliveries);
  const isDelivered = outcome.kind === 'delivered';
  const isSent = isDelivered || deliveries.some(({ result }) => result === 'delivered');
  if (isSent) {
    const ms = Math.max(0, world.services.now() - entry.receivedAt);
    world.write({
      kind: 'submission',
      at: new Date(entry.receivedAt).toISOString(),
      id: entry.id,
      form: form.id,
      result: outcomeInLog(outcome, submission.deliveries),
      ms,
      restored: true,
      deliveries,
    });
  }
  const hasAll = isDelivered && deliveries.every(({ result }) => result !== 'failed');
  if (!hasAll) return refused(wasAside ? words : `${words}. It stays among the dropped ones`);
  if (!wasAside) for (const one of from) await one.in.remove(one.path);
  return done(`Restored: ${words}.${await notSpam(entry, from, world)}`);
}

/** What its form does with it from validation on, for outputs that have not got it yet. */
function submissionOf(
  form: Form,
  content: Content,
  { wasAside, taken }: Omit<Restoring, 'entry'>,
  { settings }: ActionWorld,
): Submission {
  const { id, receivedAt, files, page } = content;
  const url = page && parseUrl(page.url);
  const hasIt = (output: FormOutput, place: number) =>
    taken.has(place) || (wasAside && output.heldBack === 'also');
  const outputs = form.outputs.map((one, place) =>
    hasIt(one, place) ? { ...one, accepts: () => false } : one,
  );
  const about = { requestId: id, receivedAt, values: noValues };
  return Object.assign(restoreSubmission({ ...form, outputs }, about, settings), {
    sent: sentValues(content, form),
    sentFiles: files,
    page: url && pageAt(url, page?.title ?? '', settings.allowedOrigins),
  });
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

function endingInWords(outcome: Outcome, form: Form, deliveries: readonly JournalDelivery[]): string {
  const locale = form.locale(undefined);
  if (outcome.errors) {
    const wrong = outcome.errors.map(({ field, ...message }) => {
      const declared = form.fields.find(({ name }) => name === field);
      const label = declared ? labelOf(declared, locale) : field;
      return `${label}: ${locale.translate(message).replace(/\.$/, '')}`;
    });
    return `the form does not take these values (any more): ${wrong.join('; ')}`;
  }
  if (outcome.kind === 'held') return 'a mail asks the address for its confirmation first';
  const parts = deliveries.flatMap(({ output: place, type, result, reason }) => {
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

/** What the journal says of a submission that somebody wants to restore. */
export interface Before {
  readonly wasAside: boolean;
  readonly wasRestored: boolean;
  /** Outputs that took or kept it since it was restored. */
  readonly taken: ReadonlySet<number>;
}

export function before({ journal, id }: IndexedEntry): Before {
  const answers = linesOf(journal).flatMap((line) =>
    line.kind === 'submission' && line.id === id ? [line] : [],
  );
  const restored = answers.filter((line) => line.restored);
  const taken = restored
    .flatMap((line) => line.deliveries ?? [])
    .filter(({ result }) => result === 'delivered' || result === 'kept');
  return {
    wasAside: answers.some(isSetAside),
    wasRestored: restored.length > 0,
    taken: new Set(taken.map(({ output }) => output)),
  };
}
