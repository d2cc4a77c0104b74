/** Manages who may use the inbox. The owner of the machine invites the first person. */
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Audited, AuditedThing, Person } from '../gate.ts';
import type { Access } from '../server/options.ts';
import type { Outbox } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { openAccounts } from './accounts.ts';
import { linkPath, mailLink } from './link_sign_in.ts';
import { createSessions } from './sessions.ts';

/** The default folder of the audit log. */
export function auditFolder({ folder }: Store): string {
  const audit = join(folder, 'audit');
  mkdirSync(audit, { recursive: true, mode: 0o700 });
  return audit;
}

/** For an inbox that only the owner of the machine uses. */
export function openAccess(store: Store, settings: Access['settings'], now: () => number): Access {
  const accounts = openAccounts(store, now);
  const limits = () => settings()?.sessions ?? { for: Infinity, idle: Infinity };
  return { accounts, sessions: createSessions(now, limits, accounts.tables), settings, now };
}

/** Records changes to people and keys, and what programs read. The owner's own reading is not recorded. */
export function ownerAudit(store: Store, { settings, now }: Access) {
  const log = createAuditLog(() => settings()?.audit ?? auditFolder(store), now);
  return async (person: Person, what: Audited, about: AuditedThing): Promise<void> => {
    if (person.subject === undefined && about.whom === undefined) return;
    await log.write({ who: person.name, subject: person.subject ?? '', what, ...about });
  };
}

interface Inviting {
  readonly access: Access;
  readonly outbox: Outbox | undefined;
  readonly audit: (person: Person, what: Audited, about: AuditedThing) => Promise<void>;
}

/**
 * Gives somebody the right to manage the inbox, and mails a link. Resolves with a message for the terminal,
 * which contains the link if no mail can be sent.
 */
export async function inviteOwner({ access, outbox, audit }: Inviting, email: string): Promise<string> {
  const { accounts, settings, now } = access;
  const url = settings()?.url;
  if (!url) return 'The config has no inbox.url, the address at which people open the inbox.';
  await audit({ name: 'you', forms: undefined, may: () => true }, 'invited', { whom: email });
  if (!accounts.find(email)) accounts.put({ email, name: '', may: ['manage'], at: now(), by: 'you' });
  const mailed = outbox && (await mailLink({ accounts, outbox, url }, email, { by: 'you' }));
  if (mailed?.state === 'sent') return `A link to ${url.href} is on its way to ${email}`;
  const link = new URL(`${linkPath}?token=${accounts.makeLink(email)}`, url).href;
  return `No mail was sent: ${mailed?.why ?? 'the inbox has no store'}.\nThis link signs ${email} in, once and within 15 minutes:\n${link}`;
}

const invitation = /^invite-[0-9a-f]{16}\.json$/;
const lookMs = 1_000;
/** How long the terminal waits for the running inbox. */
const answeredMs = 30_000;

/**
 * Handles invitations that the command left in the store's folder while this process holds the store. Returns
 * a function that stops watching.
 */
export function watchInvitations(
  { folder }: Store,
  invite: (email: string) => Promise<string>,
  broken: (error: unknown) => void,
): () => void {
  let isBusy = false;
  const look = async () => {
    for (const name of readdirSync(folder).filter((one) => invitation.test(one))) {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      // Removed, or an unreadable file would be logged every second.
      rmSync(path);
      const words = await invite(String(JSON.parse(text).email));
      writeFileSync(`${path}.new`, words, { mode: 0o600 });
      renameSync(`${path}.new`, `${path}.done`);
    }
  };
  const next = async () => {
    if (isBusy) return;
    isBusy = true;
    await look().catch(broken);
    isBusy = false;
  };
  const timer = setInterval(() => void next(), lookMs).unref();
  return () => clearInterval(timer);
}

/** Asks the inbox that holds the store. `undefined` if it does not answer. */
export async function askRunningInbox(folder: string, email: string): Promise<string | undefined> {
  const path = join(folder, `invite-${randomBytes(8).toString('hex')}.json`);
  writeFileSync(`${path}.new`, JSON.stringify({ email }), { mode: 0o600 });
  const { uid, gid } = statSync(folder);
  // That inbox may run as another user, who cannot read root's files.
  if (process.getuid?.() === 0) chownSync(`${path}.new`, uid, gid);
  renameSync(`${path}.new`, path);
  const until = Date.now() + answeredMs;
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    try {
      const words = readFileSync(`${path}.done`, 'utf8');
      rmSync(`${path}.done`);
      return words;
    } catch {
      // There is no answer yet.
    }
  }
  rmSync(path, { force: true });
  return undefined;
}

/** A line's `what`: an action, or the result of signing in. */
type Recorded =
  | Audited
  | 'signed_in'
  | 'signed_out'
  /** A person authenticated by the provider may not use the inbox, or this form. */
  | 'refused';

/** A line: who did what to which submission, without its values. */
interface AuditLine extends AuditedThing {
  /** The verified address, or the provider's name for the person. */
  readonly who: string;
  /** A hash of the provider and its user id. */
  readonly subject: string;
  readonly what: Recorded;
  readonly why?: string | undefined;
}

/** Writes one file a month, readable only by the owner of the process. @param folder The current folder. */
export function createAuditLog(folder: () => string, now: () => number) {
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isTorn = false;

  const append = async () => {
    next = undefined;
    const lines = waiting.join('');
    waiting = [];
    const path = join(folder(), `${new Date(now()).toISOString().slice(0, 7)}.jsonl`);
    const file = await open(path, 'a', 0o600);
    try {
      // A full disk may have left an incomplete line.
      await file.appendFile(`${isTorn ? '\n' : ''}${lines}`);
      await file.datasync();
      isTorn = false;
    } catch (error) {
      isTorn = true;
      throw error;
    } finally {
      await file.close();
    }
  };

  return {
    /** Resolves when the line is on disk. Rejects if it cannot be written. */
    write(line: AuditLine): Promise<void> {
      waiting.push(`${JSON.stringify({ at: new Date(now()).toISOString(), ...line })}\n`);
      // Lines that arrive during a write are batched into the next one.
      next ??= last.then(append);
      last = next.catch(() => undefined);
      return next;
    },
  };
}
