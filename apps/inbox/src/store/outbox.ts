/** Mails that people send from the inbox through the config's mail outputs. Each mail is sent only once. */
import { createRates } from '@form-relay/base/rates';
import type { Config } from '@form-relay/core/config';
import type { Services } from '@form-relay/core/services';
import type { Settings } from '@form-relay/core/settings';
import {
  type OwnMail,
  type OwnMailCarrier,
  type OwnMailResult,
  ownMailCarrier,
} from '@form-relay/visitor-mails/own_mail';
import type { Part, Store } from './store.ts';

export type Outbox = ReturnType<typeof createOutbox>;

interface OutboxContext {
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
  readonly state: 'sending' | OwnMailResult['state'];
  readonly message_id: string;
  readonly why: string;
}

/** Limit for all people together: a stolen session must not send spam. */
const pace = { most: 300, withinMs: 3_600_000 };
/** Older keys are forgotten, and may be used again. */
const keptMs = 90 * 86_400_000;

export const noCarrier = 'no form sends mails; add an output of type smtp or email (docs/mail.md)';
const interrupted = 'the inbox stopped while it sent this mail, which may have been delivered';

export function createOutbox(store: Store, { config, services, settings }: OutboxContext) {
  const tables = store.tables(part);
  const rates = createRates(services.now);
  const underWay = new Map<string, Promise<OwnMailResult>>();

  /** The form's mail output; without an id, the first form's that sends mails. `undefined` if none does. */
  const carrier = (id?: string): OwnMailCarrier | undefined => {
    const forms = config()?.forms;
    const own = id === undefined ? undefined : forms?.get(id);
    for (const form of id === undefined ? (forms?.values() ?? []) : own ? [own] : []) {
      const found = ownMailCarrier(form, services, settings);
      if (found) return found;
    }
    return undefined;
  };

  const note = (key: string, state: Row['state'], messageId: string, why = '') =>
    tables.write(() => {
      tables.run('DELETE FROM mail_sent WHERE at < ?', services.now() - keptMs);
      const sql = 'INSERT OR REPLACE INTO mail_sent VALUES (?, ?, ?, ?, ?)';
      tables.run(sql, key, services.now(), state, messageId, why);
    });

  async function sendNow(mail: OwnMail, form: string | undefined): Promise<OwnMailResult> {
    const by = carrier(form);
    if (!by) return { state: 'failed', why: noCarrier };
    if ('waitMs' in rates.take('', pace))
      return {
        state: 'failed',
        why: `the inbox has reached its limit of ${pace.most} mails an hour; try again later`,
      };
    const messageId = by.messageId(mail.key);
    note(mail.key, 'sending', messageId);
    const done = await by.send(mail);
    note(mail.key, done.state, messageId, done.state === 'sent' ? '' : done.why);
    return done;
  }

  return {
    carrier,
    /**
     * Never rejects because of a mail server. A second mail with the same key is not sent, but gets the
     * result of the first.
     *
     * @param isAgain Whether to send a mail that may already have arrived.
     */
    async send(mail: OwnMail, form?: string, isAgain = false): Promise<OwnMailResult> {
      const { key } = mail;
      const running = underWay.get(key);
      if (running !== undefined) return running;
      const before = tables.get<Row>('SELECT state, message_id, why FROM mail_sent WHERE key = ?', key);
      if (before?.state === 'sent') return { state: 'sent', messageId: before.message_id };
      const isUnsure = before?.state === 'sending' || before?.state === 'unsure';
      if (before && isUnsure && !isAgain) return { state: 'unsure', why: before.why || interrupted };
      const sending = sendNow(mail, form).finally(() => underWay.delete(key));
      underWay.set(key, sending);
      return sending;
    },
  };
}
