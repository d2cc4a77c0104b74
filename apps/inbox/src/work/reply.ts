/** A reply to the person who wrote, through the form's own mail output. A copy stays at the submission. */
import { parseSubmittedAddress } from '@form-relay/base/address';
import { renderMail } from '@form-relay/more-outputs/html_mail';
import type { ActionDone, Draft } from '../api.ts';
import { isAddress } from '../correspondent.ts';
import type { IndexedEntry } from '../entry_index.ts';
import { type Answer, json, refuse } from '../server/answer.ts';
import type { Api, Body } from '../server/routes.ts';
import { fullThread, limits, lineIn, type Noting, textIn, whoIs } from './work.ts';

/** A reply as a page sends it; or in words what is wrong with it. */
export function draftIn({ to, subject, text }: Body): Draft | string {
  if (typeof to !== 'string' || to.length > 320) return 'to is an address';
  if (typeof subject !== 'string' || subject.length > 500) return 'a subject has at most 500 characters';
  const clean = text === '' ? '' : textIn(text, limits.replyBytes);
  return clean === undefined
    ? 'a reply has at most 50 KB'
    : { to: to.trim(), subject: lineIn(subject), text: clean };
}

export async function reply(
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
  if (typeof key !== 'string' || !/^[\da-f-]{36}$/.test(key)) return refuse(400, 'key is a UUID');
  const carrier = options.outbox?.carrier(entry.form);
  if (!carrier || !options.outbox)
    return refuse(400, 'this form sends no mails; add an output of type smtp or email');
  const found = await documents.read(entry);
  // A session that was stolen must not mail strangers.
  const written = found.ok ? found.value.document.fields.flatMap(({ values }) => values) : [];
  const to = parseSubmittedAddress(draft.to);
  if (
    to === undefined ||
    !written.some((value) => isAddress(value) && parseSubmittedAddress(value.trim()) === to)
  )
    return refuse(400, 'a reply goes to an address in the submission');
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
