import { ClientError } from '@form-relay/base/client_error';
import { parseUrl } from '@form-relay/base/url';
import { noValues } from '@form-relay/base/values';
import { labelOf } from '@form-relay/core/fields/label';
import type { Form } from '@form-relay/core/form';
import { pageAt } from '@form-relay/core/outputs/template_context';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { validate } from '@form-relay/core/pipeline/validate';
import type { DeliveryResult, Outcome, Submission } from '@form-relay/core/submission';
import { missingVariables } from '@form-relay/stored/kept/deliver';
import { outputInWords } from '@form-relay/stored/kept/open';
import type { ActionDone } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { type Content, readContent, sentValues } from './content.ts';
import { type ActionContext, done, type Located, locate, refused } from './context.ts';
import { formGone, lacks, noConfig } from './deliver.ts';
import { withLock } from './lock.ts';
import { note } from './mark.ts';

/**
 * Sends a dropped one where it would have gone, under the ids of then. The submission stays dropped until every output
 * took or queued it.
 */
export async function restore(entry: IndexedEntry, context: ActionContext): Promise<ActionDone> {
  const from = locate(entry, context).filter((one) => one.in.isDropped);
  if (from.length === 0) return refused('it was not dropped');
  return withLock(from, () => restoreFrom(from, entry, context));
}

async function restoreFrom(
  from: readonly Located[],
  entry: IndexedEntry,
  context: ActionContext,
): Promise<ActionDone> {
  const config = await context.config();
  if (!config) return refused(noConfig);
  const form = config.forms.get(entry.form);
  if (!form) return refused(formGone(entry.form));
  const missing = form.outputs.flatMap((_, place) =>
    missingVariables(config, { form, place }, context.services),
  );
  if (missing.length > 0) return refused(lacks([...new Set(missing)]));
  const read = await readContent(from, form);
  if (!read.ok) return refused(read.error);
  const submission = submissionOf(form, read.value, context);
  const outcome = validate(submission, form) ?? (await form.accept(submission));
  const deliveries = submission.deliveries.filter((one) => one !== undefined);
  const words = endingInWords(outcome, form, deliveries);
  const hasAll = outcome.kind === 'delivered' && deliveries.every(({ outcome }) => outcome !== 'failed');
  if (!hasAll) return refused(`${words}. It stays among the dropped ones`);
  for (const one of from) await one.in.remove(one.path);
  return done(`Restored: ${words}.${await notSpam(entry, from, context)}`);
}

/** The submission as its form handles it from validation on. */
function submissionOf(form: Form, content: Content, { settings }: ActionContext): Submission {
  const { id, receivedAt, files, page } = content;
  const url = page && parseUrl(page.url);
  const about = { requestId: id, receivedAt, values: noValues };
  return Object.assign(restoreSubmission(form, about, settings), {
    sent: sentValues(content, form),
    sentFiles: files,
    // The owner vouches for it, so its visitor faces no further checks.
    isTrusted: true,
    page: url && pageAt(url, page?.title ?? '', settings.allowedOrigins),
  });
}

/** Restoring a submission declares it no spam. The restored one is delivered even if that cannot be noted. */
const notSpam = async (entry: IndexedEntry, places: readonly Located[], context: ActionContext) => {
  try {
    return (await note(entry, 'ham', places, context)) ? ' Marked as not spam.' : '';
  } catch (error) {
    if (error instanceof ClientError) return ` Not marked: ${error.message}.`;
    throw error;
  }
};

function endingInWords(outcome: Outcome, form: Form, deliveries: readonly DeliveryResult[]): string {
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
  const parts = deliveries.flatMap(({ output: place, type, outcome, reason }) => {
    const output = form.outputs[place];
    const to = output ? outputInWords({ output }) : type;
    if (outcome === 'skipped') return [];
    return [outcome === 'failed' ? `not taken by ${to}: ${reason}` : `${outcome}: ${to}`];
  });
  if (parts.length > 0) return parts.join('; ');
  return outcome.kind === 'undelivered'
    ? 'no output is left that would take it'
    : `it ended as \`${outcome.kind}\``;
}
