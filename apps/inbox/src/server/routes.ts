/** Routes of the inbox's API (api.ts), for a person who has been authenticated. */
import { addressForm } from '@form-relay/base/canonical';
import { decodeSegment } from '@form-relay/base/url';
import { maxValueBytes } from '@form-relay/base/values';
import type { Progress, Right } from '../api.ts';
import type { EntryIndex, Forms } from '../entry_index.ts';
import { formats } from '../export/export.ts';
import { type Audited, maySee, type Person } from '../gate.ts';
import { answerWork } from '../work/routes.ts';
import { exportOf, linesWithWork, withDetail, withWork } from '../work/shown.ts';
import { aboutOf, modelsFor } from './about.ts';
import {
  type Answer,
  actionOf,
  auditedAs,
  idsIn,
  json,
  mostIds,
  notThere,
  type Request,
  record,
  recorded,
  recordFailure,
  refuse,
} from './answer.ts';
import { answerMany } from './attention.ts';
import { type Documents, disposition, fileAnswer, messageOf } from './documents.ts';
import { type InboxOptions, numberIn, readQuery } from './options.ts';
import { answerPeople } from './people_routes.ts';
import type { Runs } from './runs.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface ApiRequest {
  readonly request: Request;
  readonly person: Person;
  /** Empty if the request has no body. */
  readonly body: Body;
}

export interface Api {
  readonly options: InboxOptions;
  readonly documents: Documents;
  readonly progress: () => Progress | undefined;
  readonly runs: Runs;
}

const mostWindow = 1_000;

export async function answerApi(api: Api, incoming: ApiRequest): Promise<Answer> {
  const { options } = api;
  const { person, request } = incoming;
  const { method, path } = request;
  const given = new URLSearchParams(request.query);
  const [, , first = '', id = '', third = '', fourth = '', ...more] = path.split('/');
  if (more.length > 0) return nowhere;
  const added = await answerWork(api, incoming);
  if (added) return added;
  if (first === 'entries' && id !== '') return aboutOne(api, incoming, id, third, fourth);
  if (/^(?:people|sessions|keys)$/.test(first)) return answerPeople(options, incoming);
  switch (`${method} ${path}`) {
    case 'GET /api/about':
      return json(await aboutOf(options, person, api.progress()));
    case 'GET /api/entries': {
      const query = readQuery(given);
      if (!query.ok) return refuse(400, query.error);
      const from = numberIn(given, 'from', 0, Number.MAX_SAFE_INTEGER);
      const count = numberIn(given, 'count', 100, mostWindow);
      if (from === undefined || count === undefined)
        return refuse(400, `from and count are numbers; count is at most ${mostWindow}`);
      const isCounted = given.get('counted') !== 'no';
      const window = await options.index.window(query.value, from, count, person.forms, isCounted);
      return json(withWork(window, options));
    }
    case 'POST /api/read':
      return markRead(options, incoming, given);
    case 'GET /api/export':
      return exported(api, person, given.get('format'), given);
    case 'POST /api/export': {
      const ids = idsIn(incoming.body.ids);
      return ids
        ? exported(api, person, incoming.body.format, given, ids)
        : refuse(400, `ids must be ids from the list, at most ${mostIds}`);
    }
    case 'POST /api/learn':
      return learnNow(options, incoming);
    case 'POST /api/person':
    case 'POST /api/person/export':
    case 'POST /api/person/erase':
      return aboutPerson(api, incoming);
    default:
      return (await answerMany(api, incoming)) ?? nowhere;
  }
}

const nowhere = refuse(404, 'not found');

/** Marking one entry as read counts as viewing it. Marking several, or all that match, is recorded. */
async function markRead(
  options: InboxOptions,
  { person, body }: ApiRequest,
  given: URLSearchParams,
): Promise<Answer> {
  const { index } = options;
  const { read, all } = body;
  const ids = idsIn(body.ids);
  const query = readQuery(given);
  if (!query.ok) return refuse(400, query.error);
  if (typeof read !== 'boolean' || (!ids && all !== true)) return refuse(400, 'ids and read are required');
  const choice = { ...query.value, ...(read && { unread: true }) };
  const count = ids?.length ?? (await index.window(choice, 0, 1, person.forms)).total;
  if (count > 1 || !ids) await record(options, person, read ? 'marked_read' : 'marked_unread', { count });
  let changed = 0;
  for await (const some of index.rows(choice, person.forms, ids))
    changed += await index.setRead(
      some.map(({ id }) => id),
      read,
      person.forms,
    );
  return json({ changed });
}

async function learnNow(options: InboxOptions, { person, body }: ApiRequest): Promise<Answer> {
  const { learner } = options;
  const model = (await modelsFor(options, person)).find(({ name }) => name === body.model);
  if (!learner || !model)
    return refuse(404, 'this model does not exist, or you may not see all of its forms');
  if (!model.mayLearn) return refuse(403, 'you may not do that in every form of this model');
  return json(await recorded(options, person, 'learned', {}, () => learner.learn(model.name)));
}

async function aboutOne(
  { options, documents }: Api,
  { person, request, body }: ApiRequest,
  segment: string,
  what: string,
  nth: string,
): Promise<Answer> {
  const { index, config } = options;
  const id = decodeSegment(segment);
  const entry = id === undefined ? undefined : await index.get(id);
  if (!entry || !maySee(person, entry.form)) return notThere;
  const audit = (done: Audited) => record(options, person, done, { id: entry.id, form: entry.form });
  const { method } = request;
  if (method === 'DELETE' && what === '') {
    if (!options.actions || !person.may('erase', entry.form)) return mayNot;
    const { remove } = options.actions;
    const done = await recorded(options, person, 'deleted', entry, () => remove(entry.id));
    const ids = [entry, ...entry.changes].map((one) => one.id);
    await (done.isDone ? index.forget(ids) : index.refresh(...ids));
    if (done.isDone) await forgetWork(options, ids);
    return json(done);
  }
  if (method === 'POST' && nth === '') {
    const action = actionOf(what, body);
    if (action === undefined) return nowhere;
    if (!options.actions || !person.may('act', entry.form)) return mayNot;
    if (typeof action === 'string') return refuse(400, action);
    const { run } = options.actions;
    const done = await recorded(options, person, auditedAs[action.action], entry, () =>
      run(entry.id, action),
    );
    if (done.isDone && action.action === 'restore') options.learner?.soon(entry.form);
    if (done.isDone && action.action === 'mark') await index.setMark(entry.id, action.mark);
    else await index.refresh(entry.id);
    return json(done);
  }
  if (method !== 'GET') return nowhere;
  if (what === '') {
    await audit('opened');
    const message = await messageOf(entry, documents, config()?.forms.get(entry.form));
    return json(withDetail(message, options, person));
  }
  if (what !== 'files' || !/^[1-9]\d{0,4}$/.test(nth)) return nowhere;
  await audit('downloaded');
  const file = await documents.file(entry, Number(nth));
  return file.ok
    ? fileAnswer(file.value, new URLSearchParams(request.query).has('save'))
    : refuse(404, file.error);
}

const mayNot = refuse(403, 'you may not do that with submissions of this form');

async function exported(
  { options }: Api,
  person: Person,
  format: unknown,
  given: URLSearchParams,
  ids?: readonly string[],
): Promise<Answer> {
  const known = formats.find((one) => one === format);
  if (!known) return refuse(400, `format must be one of ${formats.join(', ')}`);
  const query = readQuery(given);
  if (!query.ok) return refuse(400, query.error);
  const count = ids && (await countIn(person.forms, ids, options.index));
  return exportOf(options, person, known, query.value, ids, count);
}

async function aboutPerson({ options }: Api, { person, request, body }: ApiRequest): Promise<Answer> {
  const { people, index } = options;
  if (!people) return refuse(404, 'this inbox cannot search for a person');
  const { email } = body;
  if (typeof email !== 'string' || email.length > maxValueBytes || !addressForm.test(email))
    return refuse(400, 'email must be an address, such as ada@example.org');
  const isExport = request.path.endsWith('/export');
  const allowed = await formsWith(isExport ? 'read' : 'erase', options, person);
  if (allowed === 'none') return refuse(403, 'you may not erase submissions');
  const { forms } = allowed;
  if (isExport) {
    await record(options, person, 'person_exported', {});
    return {
      status: 200,
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': disposition('attachment', 'person.jsonl'),
      },
      body: linesWithWork(people.export(email, forms), options),
    };
  }
  if (!request.path.endsWith('/erase')) {
    await record(options, person, 'person_listed', {});
    return json(await people.find(email, forms));
  }
  const ids = idsIn(body.ids);
  if (!ids) return refuse(400, `ids must be ids from the list, at most ${mostIds}`);
  const count = forms ? await countIn(forms, ids, index) : ids.length;
  await record(options, person, 'person_erased', { count });
  let entries = 0;
  try {
    const erased = await people.erase(email, ids, forms);
    entries = erased.left.length > 0 ? Math.min(erased.entries, count - 1) : erased.entries;
    await index.refresh(...ids);
    await forgetWork(options, ids, forms);
    return json(erased);
  } finally {
    if (entries < count) await recordFailure(options, person, 'person_erased', { count: count - entries });
  }
}

/** Deletes the work on a submission when its last copy is removed. */
async function forgetWork(
  { work, index }: InboxOptions,
  ids: readonly string[],
  forms?: Forms,
): Promise<void> {
  const gone = [];
  for (const id of ids) if (!(await index.get(id))) gone.push(id);
  await index.annotate(work?.rows(work.erase(gone, forms)) ?? []);
}

/** How many of these ids belong to the forms. */
async function countIn(forms: Forms, ids: readonly string[], index: EntryIndex): Promise<number> {
  let count = 0;
  for (const id of new Set(ids)) {
    const entry = await index.get(id);
    if (entry && (!forms || forms.has(entry.form))) count += 1;
  }
  return count;
}

/** The forms in which the person has this right. */
async function formsWith(
  right: Right,
  { index, config }: InboxOptions,
  person: Person,
): Promise<{ readonly forms: Forms } | 'none'> {
  const all = new Set([...(config()?.forms.keys() ?? []), ...(await index.forms()).map(({ id }) => id)]);
  const own = [...all].filter((form) => maySee(person, form) && person.may(right, form));
  if (own.length === 0) return 'none';
  return { forms: person.forms === undefined && own.length === all.size ? undefined : new Set(own) };
}
