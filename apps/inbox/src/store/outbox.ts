/** Mails that people send from the inbox, through the mail outputs of the config. Each is sent once. */
import { createHash } from 'node:crypto';
import {
  addressOf,
  domainOf,
  type Mailbox,
  parseSender,
  parseSubmittedAddress,
} from '@form-relay/base/address';
import { ClientError } from '@form-relay/base/client_error';
import { createRates } from '@form-relay/base/rates';
import { Try, withRetries } from '@form-relay/base/retries';
import { noValues } from '@form-relay/base/values';
import type { Config } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import { templateContext } from '@form-relay/core/outputs/delivery';
import { defaultSender, oneLine } from '@form-relay/core/outputs/mail';
import { fixedRecipients } from '@form-relay/core/outputs/recipients';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import type { Template } from '@form-relay/schema/template';
import { isMailType, mailTransportOf } from '@form-relay/visitor-mails/carrier';
import { mailsOf } from '@form-relay/visitor-mails/mail';
import type { Part, Store } from './store.ts';

export interface OwnMail {
  /** Names the mail: another one of the same key is not sent, but has the result of the first. */
  readonly key: string;
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** In ASCII, as `renderMail` writes it. */
  readonly html?: string | undefined;
  /** Default: that of the carrier. */
  readonly replyTo?: Mailbox | undefined;
  /** Ids of the mails that it answers, without brackets, the latest last. */
  readonly answers?: readonly string[];
  /** Written by a person: then programs may answer it. */
  readonly isPersonal?: boolean;
}

export type Mailed =
  | { readonly state: 'sent'; readonly messageId: string; readonly warning?: string | undefined }
  /** `unsure`: the server may have it. `why`: in words, for the person who sent it. */
  | { readonly state: 'failed' | 'unsure'; readonly why: string };

/** The way in which mails of a form leave. */
export interface Carrier {
  readonly form: Form;
  /** The sender. */
  readonly from: Mailbox;
  /** Where answers go: as the form's mails to visitors say, else the recipient of its submissions. */
  readonly replyTo: Mailbox | undefined;
  /** Whether its mails are HTML. */
  readonly isHtml: boolean;
  /** Such as `smtp.example.org:587`. */
  readonly target: string;
}

export interface Outbox {
  /** That of a form; without one, that of the first form which sends mails. `undefined`: there is none. */
  carrier(form?: string): Carrier | undefined;
  /** Never rejects for what servers do. @param isAgain Sends also what may have been sent before. */
  send(mail: OwnMail, form?: string, isAgain?: boolean): Promise<Mailed>;
}

export interface OutboxContext {
  readonly config: () => Config | undefined;
  readonly services: Services;
  readonly settings: Settings;
}

const part: Part = {
  name: 'mail',
  migrations: [
    `CREATE TABLE mail_sent (key TEXT PRIMARY KEY, at INTEGER NOT NULL, state TEXT NOT NULL, message_id TEXT NOT NULL,
      why TEXT NOT NULL DEFAULT '') WITHOUT ROWID;`,
  ],
};

interface Row {
  readonly state: 'sending' | Mailed['state'];
  readonly message_id: string;
  readonly why: string;
}

/** All people together: a stolen session must not send spam. */
const pace = { most: 300, withinMs: 3_600_000 };
/** A key that is older may be used again. */
const keptMs = 90 * 86_400_000;

export const noCarrier =
  'no form of the config sends mails; add an output of type smtp or email (docs/mail.md)';
const interrupted = 'the inbox was stopped while it sent this mail, which may have arrived';

export function createOutbox(store: Store, { config, services, settings }: OutboxContext): Outbox {
  const tables = store.tables(part);
  const rates = createRates(services.now);
  const underWay = new Map<string, Promise<Mailed>>();

  const open = (id?: string) => {
    const forms = config()?.forms;
    const own = id === undefined ? undefined : forms?.get(id);
    for (const form of id === undefined ? (forms?.values() ?? []) : own ? [own] : []) {
      const way = wayOf(form, services, settings);
      if (way) return way;
    }
    return undefined;
  };

  const note = (key: string, state: Row['state'], messageId: string, why = '') =>
    tables.write(() => {
      tables.run('DELETE FROM mail_sent WHERE at < ?', services.now() - keptMs);
      const sql = 'INSERT OR REPLACE INTO mail_sent VALUES (?, ?, ?, ?, ?)';
      tables.run(sql, key, services.now(), state, messageId, why);
    });

  async function sendOnce(mail: OwnMail, id: string | undefined): Promise<Mailed> {
    const { key } = mail;
    const way = open(id);
    const to = parseSubmittedAddress(mail.to.trim());
    if (!way) return { state: 'failed', why: noCarrier };
    if (to === undefined) return { state: 'failed', why: 'this is no address that a mail can go to' };
    if ('waitMs' in rates.take('', pace))
      return {
        state: 'failed',
        why: `the inbox has sent ${pace.most} mails within the hour; try again later`,
      };
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
    const messageId = `${name}@${domainOf(addressOf(way.carrier.from))}`;
    note(key, 'sending', messageId);
    const done = await deliver(mail, to, messageId, way);
    note(key, done.state, messageId, done.state === 'sent' ? '' : done.why);
    return done;
  }

  async function deliver(mail: OwnMail, to: string, messageId: string, way: Way): Promise<Mailed> {
    const { carrier, transport, timeoutMs, retries, sender } = way;
    const { form } = carrier;
    const { subject, text, html, replyTo = carrier.replyTo, answers = [], isPersonal = false } = mail;
    const at = services.now();
    const delivery = {
      id: messageId.slice(0, messageId.indexOf('@')),
      requestId: messageId,
      formId: form.id,
      receivedAt: at,
      values: noValues,
      payload: [],
      templateContext: templateContext(form.id, noValues, at, services),
      files: new Map(),
      mail: {
        ...(sender && { from: sender }),
        ...{ to: [to], replyTo, subject: oneLine(subject), text, html, messageId, date: at },
        headers: new Map([...threadOf(answers), ...(isPersonal ? [['Auto-Submitted', 'no'] as const] : [])]),
      },
    };
    try {
      const warning = await withRetries(
        (timeoutMs) => {
          const call = new Try(timeoutMs);
          return transport.send(delivery, call).finally(() => call.end());
        },
        { timeoutMs, retries, firstWaitMs: 1_000 },
        services,
      );
      return { state: 'sent', messageId, warning };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const isUnsure = error.code === 'timed_out' && !error.isUnsent;
      const remedy = isUnsure ? 'it may have arrived' : `relay doctor tests this output`;
      const why = `${carrier.target} did not take the mail: ${error.message}; ${remedy}`;
      return { state: isUnsure ? 'unsure' : 'failed', why };
    }
  }

  return {
    carrier: (form) => open(form)?.carrier,
    async send(mail, form, isAgain = false) {
      const { key } = mail;
      const running = underWay.get(key);
      if (running !== undefined) return running;
      const before = tables.get<Row>('SELECT state, message_id, why FROM mail_sent WHERE key = ?', key);
      if (before?.state === 'sent') return { state: 'sent', messageId: before.message_id };
      const isUnsure = before?.state === 'sending' || before?.state === 'unsure';
      if (before && isUnsure && !isAgain) return { state: 'unsure', why: before.why || interrupted };
      const sending = sendOnce(mail, form).finally(() => underWay.delete(key));
      underWay.set(key, sending);
      return sending;
    },
  };
}

interface Way extends Omit<ReturnType<typeof mailTransportOf>, 'from'> {
  readonly carrier: Carrier;
  /** Absent: the output knows its own. */
  readonly sender: Mailbox | undefined;
}

/** As the form's mails to visitors leave, or else those to its owner. */
function wayOf(form: Form, services: Services, { mailFromAddress }: Settings): Way | undefined {
  const [[, mail] = []] = mailsOf(form);
  const output = form.outputs.find(({ type }) => isMailType(type));
  if (!mail?.through && !output) return undefined;
  const locale = form.locale(undefined);
  const title = form.title === undefined ? undefined : locale.text(form.title);
  const about = { id: form.id, title, fields: form.fields, locale };
  const way = mailTransportOf(mail?.through, form, { services, mailFromAddress, form: about });
  const keys: MailKeys = mail?.through?.keys ?? { ...output };
  const sender = mail?.from ?? way.from;
  const from =
    sender ??
    keys.from ??
    (keys.host === undefined ? parseSender(mailFromAddress ?? '') : defaultSender(keys.host));
  if (from === undefined) return undefined;
  const own = mail && 'reply_to' in mail ? (mail.reply_to as Template | undefined) : undefined;
  const [replyTo] = fixedRecipients(own ? [own] : ((output as MailKeys | undefined)?.to ?? [])) ?? [];
  const target = way.transport.target ?? '';
  return { ...way, sender, carrier: { form, from, replyTo, isHtml: keys.html === true, target } };
}

/** Those of both mail outputs, with the keys of extensions. */
interface MailKeys {
  readonly from?: Mailbox | undefined;
  readonly host?: string;
  readonly to?: readonly Template[];
  readonly html?: boolean;
}

/** RFC 5322, 3.6.4. */
function threadOf(answers: readonly string[]): readonly (readonly [string, string])[] {
  const ids = answers
    .filter((id) => /^[\w.!#$%&'*+/=?^`{|}~-]+@[\w.:[\]-]+$/.test(id))
    .map((id) => `<${id}>`);
  const last = ids.at(-1);
  return last === undefined
    ? []
    : [
        ['In-Reply-To', last],
        ['References', ids.join(' ')],
      ];
}
