import { ClientError } from '@form-relay/base/client_error';
import { parseUrl } from '@form-relay/base/url';
import { noValues } from '@form-relay/base/values';
import { labelOf } from '@form-relay/core/fields/label';
import type { Form } from '@form-relay/core/form';
import { restoreSubmission } from '@form-relay/core/pipeline/context';
import { validate } from '@form-relay/core/pipeline/validate';
import type { DeliveryResult, Outcome, Submission } from '@form-relay/core/submission';
import { pageAt } from '@form-relay/schema/template';
import { submissionOf } from '@form-relay/stored/archive/archive';
import { isBucket } from '@form-relay/stored/archive/open';
import { outputInWords } from '@form-relay/stored/kept/open';
import { missingVariables } from '@form-relay/stored/kept/settle';
import { appendVerdict, forgetVerdicts, verdictFileOf, verdictLine } from '@form-relay/stored/marks/verdicts';
import type { ActionDone, Mark } from '../api.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { type Content, readContent, sentValues } from './content.ts';
import {
  type ActionContext,
  done,
  type Located,
  locate,
  refused,
  rootOf,
  untaken,
  withLock,
} from './context.ts';
import { formGone, lacks, noConfig } from './deliver.ts';

/** Records a submission as spam or not, as `relay rules mark` does. */
export async function mark(entry: IndexedEntry, verdict: Mark, context: ActionContext): Promise<ActionDone> {
  const places = locate(entry, context);
  if (places.length === 0)
    return refused('the submission is in no archive, so the filter cannot learn from it');
  if (!(await note(entry, verdict, places, context)))
    return refused('the inbox cannot mark submissions in a bucket; run relay rules mark --verdicts FILE');
  return done(verdict === 'spam' ? 'Marked as spam.' : 'Marked as not spam.');
}

/**
 * Appends a mark to the marks file of each archive that holds the submission. Returns `false` if no such
 * archive has a marks file. Throws a `ClientError`.
 */
export async function note(
  { id }: IndexedEntry,
  verdict: Mark,
  places: readonly Located[],
  context: ActionContext,
): Promise<boolean> {
  // The mark of a dropped submission goes into its archive's file. Buckets have no such file.
  const inFolders = places.filter((one) => !isBucket(one.in.place));
  const files = new Set(inFolders.map((one) => verdictFileOf(rootOf(one.in))));
  const line = verdictLine(id, verdict, context.services.now());
  for (const file of files) {
    try {
      await appendVerdict(file, line);
    } catch (error) {
      throw new ClientError(
        `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      );
    }
  }
  return files.size > 0;
}

/** Undoes marks: restores the earlier mark of each submission, or removes the mark. */
export async function unmark(
  before: ReadonlyMap<string, Mark | undefined>,
  get: (id: string) => Promise<IndexedEntry | undefined>,
  context: ActionContext,
): Promise<void> {
  const ids = new Set(before.keys());
  const folders = context.archives.filter(({ place }) => !isBucket(place));
  for (const file of new Set(folders.map((one) => verdictFileOf(rootOf(one)))))
    await forgetVerdicts(file, ids);
  for (const [id, mark] of before) {
    const entry = mark && (await get(id));
    if (entry) await note(entry, mark, locate(entry, context), context);
  }
}

/**
 * Removes a submission from every store and archive. Deliveries are removed first, so that nothing is
 * delivered that no archive shows.
 */
export async function remove(entry: IndexedEntry, context: ActionContext): Promise<ActionDone> {
  const { id, form } = entry;
  const left: string[] = [];
  const gone = new Set<string>();
  const attempt = async (place: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      left.push(`${place}: ${error.message}`);
    }
  };
  for (const [index, store] of context.stores.entries()) {
    await attempt('queued deliveries', async () => {
      const isIts = (kept: { readonly id: string; readonly form: string }) =>
        submissionOf(kept.id) === id && kept.form === form;
      for await (const lease of store.leaseMatching(({ kept }) => isIts(kept))) {
        await lease.done();
        gone.add(lease.kept.id);
      }
      if (!entry.kept.some((one) => one.store === index && !gone.has(one.id))) return;
      for await (const { kept } of store.list())
        if (isIts(kept)) throw new ClientError(`${kept.id} is being delivered right now`);
    });
  }
  for (const one of locate(entry, context)) await attempt(one.in.name, () => one.in.remove(one.path));
  for (const change of entry.changes) {
    const { isDone, words } = await remove(change, context);
    if (!isDone) left.push(words);
  }
  return left.length === 0 ? done('Deleted.') : refused(`not all of it was deleted: ${left.join('; ')}`);
}

/**
 * Delivers a dropped submission to the outputs of its form, under its original ids. The submission stays
 * dropped until every output has accepted or queued it.
 */
export async function restore(entry: IndexedEntry, context: ActionContext): Promise<ActionDone> {
  const from = locate(entry, context).filter((one) => one.in.isDropped);
  if (from.length === 0) return refused('this submission was not dropped');
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
  const submission = restored(form, read.value, context);
  const outcome = validate(submission, form) ?? (await form.accept(submission));
  const deliveries = submission.deliveries.filter((one) => one !== undefined);
  const words = endingInWords(outcome, form, deliveries);
  const hasAll = outcome.kind === 'delivered' && deliveries.every(({ outcome }) => outcome !== 'failed');
  const stays = `${words}. The submission was not restored`;
  if (!hasAll)
    return deliveries.some(({ outcome }) => outcome === 'failed') ? untaken(stays) : refused(stays);
  for (const one of from) await one.in.remove(one.path);
  return done(`Restored: ${words}.${await notSpam(entry, from, context)}`);
}

/** Builds the submission as validation receives it from the form. */
function restored(form: Form, content: Content, { settings }: ActionContext): Submission {
  const { id, receivedAt, files, page } = content;
  const url = page && parseUrl(page.url);
  const about = { requestId: id, receivedAt, values: noValues };
  return Object.assign(restoreSubmission(form, about, settings), {
    sent: sentValues(content, form),
    sentFiles: files,
    // The owner vouches for it, so no more checks run.
    isTrusted: true,
    page: url && pageAt(url, page?.title ?? '', settings.allowedOrigins),
  });
}

/** Restoring a submission marks it as not spam. If that fails, the submission is delivered anyway. */
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
    return `the form no longer accepts these values: ${wrong.join('; ')}`;
  }
  if (outcome.kind === 'held') return 'the visitor gets a confirmation mail first';
  const parts = deliveries.flatMap(({ output: place, type, outcome, reason }) => {
    const output = form.outputs[place];
    const to = output ? outputInWords({ output }) : type;
    if (outcome === 'skipped') return [];
    return [outcome === 'failed' ? `${to} did not accept the submission: ${reason}` : `${outcome}: ${to}`];
  });
  if (parts.length > 0) return parts.join('; ');
  return outcome.kind === 'undelivered'
    ? 'no output would receive the submission'
    : `the outcome was \`${outcome.kind}\``;
}
