/** Replies to the sender: a form below the message, or a link that opens the person's own mail program. */
import { Button, Icon } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Draft, MessageView, Reply as Sent } from '../../src/api.ts';
import { correspondentOf, isAddress, type NamedField } from '../../src/correspondent.ts';
import { titleOf } from '../about.ts';
import { Form } from '../controls.tsx';
import { fullTime } from '../words.ts';
import { isBusy, mayAdd, saveDraft, sendReply, setDone } from './message_now.ts';

/** The reply being written; the `key` identifies it until it is sent. */
const writing = signal<(Draft & { readonly id: string; readonly key: string }) | undefined>(undefined);

/** The recipient of a reply, its subject and the quoted text. */
function about({ fields, form, receivedAt }: MessageView) {
  const said = fields.filter(({ type }) => type !== 'mark');
  const { name, email, message } = correspondentOf(said);
  const given = said.find((field) =>
    /\bsubject\b|betreff|asunto|\bobjet\b|oggetto/iu.test(`${field.name} ${field.label}`),
  )?.values[0];
  const subject = given?.trim() || titleOf(form);
  const at = fullTime(receivedAt);
  const intro = `${name || email}, ${at}:`;
  const wrote = `On ${at}, ${name || email} wrote:`;
  const all = said.flatMap(({ values }) => values.map((value) => value.trim()).filter(isAddress));
  return {
    email,
    subject,
    intro,
    wrote,
    quoted: message,
    addresses: [...new Set([email, ...all])].filter(Boolean),
  };
}

const canSend = (message: MessageView) =>
  message.replies !== undefined && message.detail !== undefined && mayAdd(message.form);

const quotedLines = (text: string) =>
  text
    .trim()
    .split(/\r\n|[\r\n]/)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');

/** Starts a reply, or continues its draft. */
export function startReply(message: MessageView): void {
  if (!canSend(message)) {
    document.querySelector<HTMLElement>('a.reply')?.click();
    return;
  }
  if (writing.peek()?.id !== message.id) {
    const { email, subject, wrote, quoted } = about(message);
    if (email === '') return;
    const fresh = {
      to: email,
      subject: /^(re|aw|sv|antw|rv)\s*:/i.test(subject) ? subject : `Re: ${subject}`,
      text: quoted === '' ? '' : `\n\n${wrote}\n${quotedLines(quoted)}`,
    };
    writing.value = { ...fresh, ...message.detail?.draft, id: message.id, key: crypto.randomUUID() };
  }
  requestAnimationFrame(() => {
    const text = document.querySelector<HTMLTextAreaElement>('#reply-text');
    text?.focus();
    text?.setSelectionRange(0, 0);
    text?.scrollIntoView({ block: 'nearest' });
  });
}

/** Sends a failed reply again. */
export const resend = (id: string, { key, to, subject, text }: Sent) =>
  sendReply(id, { key, to, subject, text, isAgain: true });

export function ReplyAction({ message }: { readonly message: MessageView }) {
  const { email, ...mail } = about(message);
  if (canSend(message))
    return email === '' ? null : (
      <Button onClick={() => startReply(message)}>
        <Icon name="reply" />
        <span class="label">Reply</span>
      </Button>
    );
  const href = replyTo({ email, ...mail });
  return href === undefined ? null : (
    <a class="tool reply" href={href}>
      <Icon name="reply" />
      <span class="label">Reply</span>
    </a>
  );
}

const draftAfterMs = 700;

export function Reply({ message }: { readonly message: MessageView }) {
  const { id, detail, replies } = message;
  const now = writing.value?.id === id ? writing.value : undefined;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const saving = useRef<() => void>(undefined);
  const saveNow = () => {
    clearTimeout(timer.current);
    saving.current?.();
    saving.current = undefined;
  };
  useEffect(() => {
    // Continues a draft after a reload.
    if (detail?.draft && !now && canSend(message))
      writing.value = { ...detail.draft, id, key: crypto.randomUUID() };
    addEventListener('pagehide', saveNow);
    return () => {
      removeEventListener('pagehide', saveNow);
      saveNow();
    };
  }, []);
  if (!now || !canSend(message)) return null;
  const { addresses, email, ...mail } = about(message);
  const edit = (change: Partial<Draft>) => {
    const next = { ...now, ...change };
    writing.value = next;
    const { to, subject, text } = next;
    saving.current = () => void saveDraft(id, { to, subject, text });
    clearTimeout(timer.current);
    timer.current = setTimeout(saveNow, draftAfterMs);
  };
  const end = () => {
    clearTimeout(timer.current);
    saving.current = undefined;
    writing.value = undefined;
  };
  const send = async (isDone: boolean) => {
    saveNow();
    if (!(await sendReply(id, now))) return;
    end();
    if (isDone) await setDone(true);
  };
  const href = replyTo({ email, ...mail });
  return (
    <Form class="write reply-form" aria-label="Reply" onGo={() => send(false)}>
      <label>
        To
        <select value={now.to} onChange={({ currentTarget: { value } }) => edit({ to: value })}>
          {addresses.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Subject
        <input
          maxLength={500}
          value={now.subject}
          onInput={({ currentTarget: { value } }) => edit({ subject: value })}
        />
      </label>
      <label class="long">
        <span class="unseen">Text</span>
        <textarea
          id="reply-text"
          rows={10}
          maxLength={50_000}
          dir="auto"
          value={now.text}
          onInput={({ currentTarget: { value } }) => edit({ text: value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send(false);
            else if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
      </label>
      <p class="aside">
        From <bdi>{replies?.from}</bdi>; replies go to <bdi>{replies?.replyTo}</bdi>.
        {href !== undefined && (
          <>
            {' '}
            Or <a href={href}>write it in your mail app</a>.
          </>
        )}
      </p>
      <div class="buttons">
        <Button
          onClick={() => {
            end();
            void saveDraft(id, { to: now.to, subject: now.subject, text: '' });
          }}
        >
          Discard
        </Button>
        <Button disabled={isBusy.value} onClick={() => void send(true)}>
          Send and mark as done
        </Button>
        <button type="submit" class="main" disabled={isBusy.value || now.text.trim() === ''}>
          {isBusy.value ? 'Sending…' : 'Send'}
        </button>
      </div>
    </Form>
  );
}

/** Mail programs do not accept longer URLs; some truncate at 2,083 characters. */
const mostCharacters = 1_900;

/** A `mailto:` or `tel:` link for a value; `undefined` if neither fits. Values come from strangers, so each part is encoded. */
export const linkOf = (field: NamedField, value: string): string | undefined =>
  mailto(value) ?? (isTelephone(field, value) ? `tel:${dialled(value)}` : undefined);

function mailto(value: string): string | undefined {
  const address = value.trim();
  if (!isAddress(address) || /[\p{C}\p{Z}]/u.test(address)) return undefined;
  const at = address.lastIndexOf('@');
  return `mailto:${encoded(address.slice(0, at))}@${encoded(address.slice(at + 1))}`;
}

/** Whether the value is a telephone number: it begins with `+`, or its field asks for one. */
function isTelephone({ name, label, type }: NamedField, value: string): boolean {
  const number = value.trim();
  if (!/^\+?[\d\s()./-]+$/.test(number) || number.length > 40) return false;
  const digits = dialled(number).replace('+', '').length;
  if (digits < 5 || digits > 15) return false;
  return (
    number.startsWith('+') ||
    type === 'tel' ||
    /phone|\btel\b|t[eé]l[eé]f|mobil|handy|cell|\bfax\b|rufnummer/iu.test(`${name} ${label}`)
  );
}

/** Drops a zero in brackets, which is not dialled after a country code. */
const dialled = (value: string) =>
  value
    .trim()
    .replace(/^(\+.*?)\(0\)/, '$1')
    .replaceAll(/[^\d+]/g, '');

interface MailReply {
  readonly email: string;
  readonly subject: string;
  /** The line above the quoted text. */
  readonly intro: string;
  readonly quoted: string;
}

/** A `mailto:` link that replies to the sender, quoting as much of the message as fits into a URL. */
function replyTo({ email, subject, intro, quoted }: MailReply): string | undefined {
  const to = mailto(email);
  if (to === undefined) return undefined;
  let href = `${to}?subject=${encoded(`Re: ${[...oneLine(subject)].slice(0, 150).join('')}`)}&body=${encoded(`\r\n\r\n${[...oneLine(intro)].slice(0, 150).join('')}`)}`;
  const add = (line: string) => encoded(`\r\n> ${line}`);
  const end = add('[…]');
  for (const line of linesOf(quoted)) {
    const more = add(line);
    if (href.length + more.length + end.length > mostCharacters) return href + end;
    href += more;
  }
  return href;
}

/** Splits long lines into pieces, so that at least a part of them fits. */
const linesOf = (text: string): readonly string[] =>
  text
    .slice(0, mostCharacters)
    .split(/\r\n|\r|\n/)
    .flatMap((line) => wrapped(printable(line)));

function wrapped(line: string): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  for (; rest.length > 76; rest = rest.slice((lines.at(-1) ?? '').length).trimStart()) {
    const space = rest.lastIndexOf(' ', 76);
    lines.push(space > 20 ? rest.slice(0, space) : [...rest].slice(0, 70).join(''));
  }
  return [...lines, rest];
}

const oneLine = (text: string) => printable(text.replaceAll(/\s+/g, ' ')).trim();

/** Removes unpaired surrogates, and characters that change how others are read. */
const printable = (text: string) => text.replaceAll(/[^\P{C}\t]/gu, '');

const encoded = encodeURIComponent;
