/** Routes for many submissions at once: reasons for attention, runs, numbers and summaries. */

import { remedyOf } from '@form-relay/stored/kept/remedy';
import type { Query, Reason, RunRequest } from '../api.ts';
import type { KeptReason } from '../entry_index.ts';
import { exportAnswer, fieldsOf } from '../export/export.ts';
import { maySee, type Person } from '../gate.ts';
import type { Day } from '../index/queries.ts';
import { type Answer, actionOf, idsIn, json, record, refuse } from './answer.ts';
import { type InboxOptions, readQuery } from './options.ts';
import type { Api, ApiRequest } from './routes.ts';
import { type Chosen, mostInRun } from './runs.ts';

const mostDays = 1_000;

/** Returns `undefined` for all other routes. */
export async function answerMany(api: Api, incoming: ApiRequest): Promise<Answer | undefined> {
  const { options, runs } = api;
  const { person, request, body } = incoming;
  const given = new URLSearchParams(request.query);
  const query = readQuery(given);
  if (!query.ok) return refuse(400, query.error);
  switch (`${request.method} ${request.path}`) {
    case 'GET /api/reasons': {
      const found = await options.index.reasons(query.value, person.forms);
      return json({ reasons: found.map((one) => reasonOf(one, query.value, options)) });
    }
    case 'GET /api/run':
      return json({ run: runs.of(person) });
    case 'POST /api/run':
      return begin(api, incoming, query.value);
    case 'POST /api/run/cancel':
      return json({ run: runs.cancel(person) });
    case 'POST /api/run/undo':
      return json({ run: await runs.undo(person) });
    case 'POST /api/run/close':
      runs.forget(person);
      return json({});
    case 'POST /api/numbers': {
      const days = daysIn(body.days);
      if (!days) return refuse(400, `days are pairs of milliseconds, at most ${mostDays}`);
      return json(await options.index.numbers(query.value, person.forms, days));
    }
    case 'GET /api/summary':
      return summarized(api, person, query.value, given.get('format'));
    default:
      return undefined;
  }
}

async function begin({ options, runs }: Api, { person, body }: ApiRequest, query: Query): Promise<Answer> {
  const action =
    body.action === 'deliver' ? ({ action: 'deliver' } as const) : actionOf(String(body.action), body);
  if (typeof action === 'string') return refuse(400, action);
  if (!action) return refuse(400, 'action must be deliver, again, restore or mark');
  const ids = body.ids === undefined ? undefined : idsIn(body.ids);
  if (body.ids !== undefined && !ids) return refuse(400, 'ids must be ids from the list');
  const chosen: Chosen[] = [];
  for await (const rows of options.index.rows(query, person.forms, ids)) {
    for (const { id, form, state } of rows)
      if (fits(action, state) && maySee(person, form) && person.may('act', form)) chosen.push({ id, form });
    if (chosen.length > mostInRun) return refuse(400, `at most ${mostInRun} at once; narrow the filter`);
  }
  if (chosen.length === 0) return refuse(400, 'nothing is left to do for these, or you may not do it');
  const started = options.actions ? await runs.start(person, action, chosen) : 'this inbox is read-only';
  return typeof started === 'string' ? refuse(409, started) : json({ run: started });
}

const fits = ({ action }: RunRequest, state: string) =>
  action === 'deliver' ? state === 'kept' : action === 'restore' ? state === 'dropped' : true;

function daysIn(given: unknown): readonly Day[] | undefined {
  const isTime = (one: unknown) => Number.isSafeInteger(one);
  const isDay = (one: unknown): one is Day => Array.isArray(one) && one.length === 2 && one.every(isTime);
  return Array.isArray(given) && given.length <= mostDays && given.every(isDay) ? given : undefined;
}

/** Describes a reason for the user. */
function reasonOf(one: KeptReason, { state }: Query, { config }: Pick<InboxOptions, 'config'>): Reason {
  const { form, reason, count, output, code = '', waitsForOwner, since } = one;
  if (output === undefined)
    return { form, reason, count, ...(state === 'dropped' ? dropped(reason) : doubted(reason)) };
  const now = config();
  const server = now?.forms.get(form)?.outputs[output]?.transport?.host;
  const forMs = now?.shared.get('keep')?.forMs;
  const until = waitsForOwner || since === undefined || forMs === undefined ? undefined : since + forMs;
  return { form, reason, count, ...remedyOf({ code, words: reason }, server), since, until };
}

const named = (name: string) => name.replaceAll('_', ' ');

const dropped = (by: string) => ({
  says: by === '' ? 'Dropped' : `Dropped by ${named(by)}`,
  remedy: 'Restore submissions that are not spam: the relay delivers them, and the filter learns',
});

const doubted = (signal: string) => ({
  says: signal === '' ? 'Suspected spam' : `Suspected mainly because of ${named(signal)}`,
  remedy: 'Mark each as spam or not spam; Deliver again sends the dead letters',
});

/** Reads in a thread, in the list's order. Sends intermediate summaries as lines, or a table at the end. */
async function summarized(
  { options }: Api,
  person: Person,
  query: Query,
  format: string | null,
): Promise<Answer> {
  const { index, sources, exportProgram: program, config } = options;
  const { form: id } = query;
  if (id === undefined || !maySee(person, id)) return refuse(400, 'form must name the form to summarize');
  const { total } = await index.window(query, 0, 1, person.forms);
  await record(options, person, 'summed_up', { form: id, count: total });
  const form = config()?.forms.get(id);
  const summary = {
    of: total,
    fields: form ? fieldsOf(form) : [],
    language: form?.locale(undefined).language ?? 'en',
  };
  return exportAnswer({
    ...{ program, sources, summary, config: undefined },
    format: format === 'csv' ? 'summary.csv' : 'summary',
    rows: index.rows(query, person.forms),
  });
}
