/** The reply to the person who wrote: a form below the message, or a link for the person's own mail program. */
import { Button, Icon } from '@form-relay/ui/controls';
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Draft, MessageView, Reply as Sent } from '../../src/api.ts';
import { correspondentOf, isAddress } from '../../src/correspondent.ts';
import { titleOf } from '../about.ts';
import { fullTime } from '../words.ts';
import { replyTo } from './links.ts';
import { isBusy, mayAdd, saveDraft, sendReply, setDone } from './message_now.ts';

/** The reply that is being written; `key` names it until it is sent. */
const writing = signal<(Draft & { readonly id: string; readonly key: string }) | undefined>(undefined);

/** The correspondent, and what a reply begins with. */
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

/** Goes on with the draft, if there is one. */
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

/** A failed reply, with the reason. */
export const resend = (id: string, { key, to, subject, text }: Sent) =>
  sendReply(id, { key, to, subject, text, isAgain: true });

/** Among the actions on a message. */
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
    // A draft that survived a reload goes on.
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
    <form
      class="write reply-form"
      aria-label="Reply"
      onSubmit={(event) => {
        event.preventDefault();
        void send(false);
      }}
    >
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
    </form>
  );
}
