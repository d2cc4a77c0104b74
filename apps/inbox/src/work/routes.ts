/** Routes for the work on submissions (work.ts). */

import { parseSubmittedAddress } from '@form-relay/base/address';
import { decodeSegment } from '@form-relay/base/url';
import { renderMail } from '@form-relay/more-outputs/html_mail';
import type { ActionDone, Draft, WorkChange } from '../api.ts';
import { isAddress } from '../correspondent.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { type Audited, maySee } from '../gate.ts';
import { type Answer, json, notThere, refuse } from '../server/answer.ts';
import { readQuery } from '../server/options.ts';
import type { Api, ApiRequest, Body } from '../server/routes.ts';
import { colleagues, viewsFor } from './shown.ts';
import { type By, fullThread, limits, lineIn, type Noting, nameIn, textIn, whoIs } from './work.ts';

const mayNot = refuse(403, 'you may not do that with submissions of this form');

/** Returns `undefined` for other routes. */
export async function answerWork(api: Api, incoming: ApiRequest): Promise<Answer | undefined> {
  const { options } = api;
  const { person, request, body } = incoming;
  const { method, path } = request;
  const { work, index } = options;
  const [, , first = '', segment = '', what = '', nth = ''] = path.split('/');
  const isOfOne = first === 'entries' && ['work', 'notes', 'draft', 'reply'].includes(what);
  const isOfAll = method === 'POST' && segment === '' && ['work', 'labels', 'views'].includes(first);
  if (!isOfOne && !isOfAll) return undefined;
  if (!work) return refuse(404, options.whyNoStore ?? 'this inbox is read-only');
  const note = { work, options, person };
  if (isOfAll) {
    if (first === 'work') return changeAll(note, body);
    return first === 'labels' ? changeLabel(note, body) : changeViews(note, body);
  }
  const entry = await index.get(decodeSegment(segment) ?? '');
  if (!entry || !maySee(person, entry.form)) return notThere;
  const by = { id: entry.id, form: entry.form, who: whoIs(person) };
  if (method === 'GET' && what === 'work') return json(work.detail(by.id, by.who));
  if (method !== 'POST') return undefined;
  if (!person.may('act', entry.form)) return mayNot;
  switch (what) {
    case 'work':
      return changeOne(note, by, body);
    case 'notes':
      return changeNotes(note, by, body, nth);
    case 'draft': {
      const draft = draftIn(body);
      if (typeof draft === 'string') return refuse(400, draft);
      work.draft(by, draft);
      return json(work.detail(by.id, by.who));
    }
    default:
      return reply(api, note, entry, body);
  }
}

const record = async ({ options, person }: Noting, what: Audited, by?: By | { readonly count: number }) =>
  options.audit?.(person, what, by && 'id' in by ? { id: by.id, form: by.form } : { ...by });

/** Updates the index before answering, so that a reloaded list shows the change. */
async function done(noting: Noting, { id, who }: By): Promise<Answer> {
  await noting.options.index.annotate(noting.work.rows([id]));
  return json(noting.work.detail(id, who));
}

async function changeOne(noting: Noting, by: By, body: Body): Promise<Answer> {
  const change = changeIn(noting, [by.form], body);
  if (typeof change === 'string') return refuse(400, change);
  const version = typeof body.version === 'number' ? body.version : undefined;
  await record(noting, auditedAs(change), by);
  if (noting.work.change(by, change, version)) return done(noting, by);
  const { who } = noting.work.detail(by.id, by.who);
  return refuse(
    409,
    `${who} has just changed this submission, so your change was not saved; review it and try again`,
  );
}

async function changeAll(noting: Noting, body: Body): Promise<Answer> {
  const { work, options, person } = noting;
  const ids = Array.isArray(body.ids) && body.ids.length <= 1_000 ? body.ids : undefined;
  if (!ids?.every((id) => typeof id === 'string'))
    return refuse(400, 'ids must be at most 1,000 ids from the list');
  const entries = (await Promise.all([...new Set(ids)].map((id) => options.index.get(id)))).filter(
    (one): one is IndexedEntry =>
      one !== undefined && maySee(person, one.form) && person.may('act', one.form),
  );
  const change = changeIn(noting, [...new Set(entries.map(({ form }) => form))], body);
  if (typeof change === 'string') return refuse(400, change);
  await record(noting, auditedAs(change), { count: entries.length });
  const who = whoIs(person);
  work.together(() => {
    for (const { id, form } of entries) work.change({ id, form, who }, change);
  });
  await options.index.annotate(work.rows(entries.map(({ id }) => id)));
  return json({ changed: entries.length });
}

/** The requested changes, or a description of what is wrong with them. */
function changeIn(noting: Noting, forms: readonly string[], body: Body): WorkChange | string {
  const { work, options, person } = noting;
  const { isDone, assigned, add = [], remove = [] } = body;
  if (isDone !== undefined && typeof isDone !== 'boolean') return 'isDone must be true or false';
  const labels = [add, remove].map((some) => (Array.isArray(some) ? some.map(nameIn) : [undefined]));
  if (labels.flat().includes(undefined)) return `a label must have 1 to ${limits.nameLength} characters`;
  const [added = [], removed = []] = labels as string[][];
  const known = new Set(work.labels().map(({ name }) => name.toLowerCase()));
  const news = new Set(added.map((name) => name.toLowerCase()).filter((name) => !known.has(name)));
  if (known.size + news.size > limits.labels)
    return `the inbox can have at most ${limits.labels} labels; remove one first`;
  const name = assigned === '' ? '' : nameIn(assigned);
  if (assigned !== undefined && (name === undefined || name === '-'))
    return `a name must have 1 to ${limits.nameLength} characters`;
  const isFree = name === '' || person.subject === undefined || name === person.name;
  if (name !== undefined && !isFree && !forms.every((form) => colleagues(options, form).includes(name)))
    return `${name} may not read submissions of this form`;
  return { isDone, assigned: assigned === undefined ? undefined : name, add: added, remove: removed };
}

const auditedAs = ({ isDone, assigned }: WorkChange): Audited => {
  if (isDone !== undefined) return isDone ? 'done' : 'reopened';
  return assigned === undefined ? 'labelled' : 'assigned';
};

async function changeNotes(noting: Noting, by: By, body: Body, nth: string): Promise<Answer> {
  const { work } = noting;
  if (nth !== '') {
    await record(noting, 'note_removed', by);
    return work.removeNote(by, Number(nth))
      ? done(noting, by)
      : refuse(404, 'this note does not exist, or is not yours');
  }
  const text = textIn(body.text, limits.noteBytes);
  if (!text) return refuse(400, 'a note must not be empty, and can be at most 10 KB');
  await record(noting, 'noted', by);
  return work.note(by, text) ? done(noting, by) : refuse(400, fullThread);
}

async function changeLabel(noting: Noting, body: Body): Promise<Answer> {
  const { work, options, person } = noting;
  const name = nameIn(body.name);
  const { color, isRemoved } = body;
  const forms = await options.index.forms();
  if (!forms.some(({ id }) => person.may('act', id))) return mayNot;
  if (name === undefined || !work.labels().some((one) => one.name.toLowerCase() === name.toLowerCase()))
    return refuse(404, 'this label does not exist');
  if (isRemoved === true) {
    // Deleting a label also removes it from submissions that this person may not change.
    if (!forms.every(({ id }) => maySee(person, id) && person.may('act', id)))
      return refuse(403, 'only people who may act in all forms can remove a label');
    await record(noting, 'labelled');
    await options.index.annotate(work.rows(work.removeLabel(name, whoIs(person))));
  } else if (typeof color === 'number' && Number.isInteger(color) && color >= 0 && color < 8) {
    await record(noting, 'labelled');
    work.setColor({ name, color });
  } else return refuse(400, 'color must be a number from 0 to 7');
  return json(work.labels());
}

async function changeViews(noting: Noting, body: Body): Promise<Answer> {
  const { work, person } = noting;
  const who = whoIs(person);
  const { nth, query, isShared, isRemoved } = body;
  if (isRemoved === true)
    return typeof nth === 'number' && work.removeView(who, nth, person.mayManage)
      ? json(viewsFor(person, work))
      : refuse(404, 'this view does not exist, or is not yours');
  const name = nameIn(body.name);
  if (name === undefined) return refuse(400, `a name must have 1 to ${limits.nameLength} characters`);
  const read =
    typeof query === 'string' && query.length < 4_000 ? readQuery(new URLSearchParams(query)) : undefined;
  if (!read?.ok || typeof query !== 'string')
    return refuse(400, read?.ok === false ? read.error : 'query must be text');
  if (work.views(who).filter(({ isOwn }) => isOwn).length >= limits.views)
    return refuse(400, `you have the maximum of ${limits.views} views; remove one first`);
  await record(noting, 'view_saved');
  work.saveView(who, { name, query, isShared: isShared === true });
  return json(viewsFor(person, work));
}

// Replies to the sender through the form's own mail output. A copy is stored with the submission.

/** A reply as sent by the page, or a description of what is wrong with it. */
function draftIn({ to, subject, text }: Body): Draft | string {
  if (typeof to !== 'string' || to.length > 320) return 'to must be an e-mail address';
  if (typeof subject !== 'string' || subject.length > 500) return 'a subject can have at most 500 characters';
  const clean = text === '' ? '' : textIn(text, limits.replyBytes);
  return clean === undefined
    ? 'a reply can be at most 50 KB'
    : { to: to.trim(), subject: lineIn(subject), text: clean };
}

async function reply(
  { documents }: Api,
  { work, options, person }: Noting,
  entry: IndexedEntry,
  body: Body,
): Promise<Answer> {
  const by = { id: entry.id, form: entry.form, who: whoIs(person) };
  const draft = draftIn(body);
  if (typeof draft === 'string') return refuse(400, draft);
  if (draft.text === '') return refuse(400, 'the reply is empty');
  const { key, isAgain } = body;
  if (typeof key !== 'string' || !/^[\da-f-]{36}$/.test(key)) return refuse(400, 'key must be a UUID');
  const carrier = options.outbox?.carrier(entry.form);
  if (!carrier || !options.outbox)
    return refuse(400, 'this form has no mail output; add an output of type smtp or email');
  const found = await documents.read(entry);
  // A stolen session must not mail strangers.
  const written = found.ok ? found.value.document.fields.flatMap(({ values }) => values) : [];
  const to = parseSubmittedAddress(draft.to);
  if (
    to === undefined ||
    !written.some((value) => isAddress(value) && parseSubmittedAddress(value.trim()) === to)
  )
    return refuse(400, 'a reply must go to an address in the submission');
  const before = work.detail(entry.id, by.who).thread;
  const known = before.find((one) => one.kind === 'reply' && one.key === key);
  if (known?.kind === 'reply' && known.state === 'sent') return json(sent);
  if (!known && before.length >= limits.thread) return refuse(400, fullThread);
  await options.audit?.(person, 'replied', entry);
  const kept = { key, ...draft, to };
  work.reply(by, { ...kept, state: 'sending' });
  const { language = 'en', direction = 'ltr' } = carrier.form.locale(undefined);
  const about = { language, direction, title: '', entries: [], footer: [] };
  const mail = {
    key: `reply ${entry.id} ${key}`,
    ...draft,
    text: `${draft.text}\n`,
    html: carrier.isHtml ? renderMail({ ...about, intro: [draft.text] }).html : undefined,
    answers: carrier.idsAbout(entry.id),
    isPersonal: true,
  };
  const result = await options.outbox.send(mail, entry.form, isAgain === true);
  const why = result.state === 'sent' ? result.warning : result.why;
  work.reply(by, { ...kept, state: result.state, why });
  await options.index.annotate(work.rows([entry.id]));
  return json(result.state === 'sent' ? sent : { isDone: false, words: `Not sent: ${why}.` });
}

const sent: ActionDone = { isDone: true, words: 'Reply sent.' };
