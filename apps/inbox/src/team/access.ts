/** The people who may use the inbox. The owner of the machine lets in the first. */
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

/** The folder of the audit log, unless the config names one. */
export function auditFolder({ folder }: Store): string {
  const audit = join(folder, 'audit');
  mkdirSync(audit, { recursive: true, mode: 0o700 });
  return audit;
}

/** For an inbox in which only the owner of the machine is signed in. */
export function openAccess(store: Store, settings: Access['settings'], now: () => number): Access {
  const accounts = openAccounts(store, now);
  const limits = () => {
    const { for: forMs, idle: idleMs } = settings()?.sessions ?? { for: Infinity, idle: Infinity };
    return { forMs, idleMs };
  };
  return { accounts, sessions: createSessions(now, limits, accounts.tables), settings, now };
}

/** Records what is done to people and keys, and what programs read. The owner's own reading is not recorded. */
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

/** Lets somebody manage the inbox, and mails a link; or says it, if no mail can be sent. Resolves with words for the terminal. */
export async function inviteOwner({ access, outbox, audit }: Inviting, email: string): Promise<string> {
  const { accounts, settings, now } = access;
  const url = settings()?.url;
  if (!url) return 'The config has no inbox.url, the address at which people open the inbox.';
  await audit({ name: 'you', forms: undefined, may: () => true }, 'invited', { whom: email });
  if (!accounts.find(email)) accounts.put({ email, name: '', may: ['manage'], at: now(), by: 'you' });
  const mailed = outbox && (await mailLink({ accounts, outbox, url }, email, { by: 'you' }));
  if (mailed?.state === 'sent') return `A link is on its way to ${email}, which opens ${url.href}`;
  const link = new URL(`${linkPath}?token=${accounts.makeLink(email)}`, url).href;
  return `No mail was sent: ${mailed?.why ?? 'the inbox has no store'}.\nThis link signs ${email} in, once and within 15 minutes:\n${link}`;
}

const asked = /^invite-[0-9a-f]{16}\.json$/;
const lookMs = 1_000;
/** So long, the terminal waits for the inbox that runs. */
const answeredMs = 30_000;

/** Takes invitations that the terminal left in the store's folder while this process has it. Returns how to stop. */
export function watchInvitations(
  { folder }: Store,
  invite: (email: string) => Promise<string>,
  broken: (error: unknown) => void,
): () => void {
  let isBusy = false;
  const look = async () => {
    for (const name of readdirSync(folder).filter((one) => asked.test(one))) {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      // An unreadable file must not be logged each second.
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

/** Asks the inbox that has the store open. `undefined`: it does not answer. */
export async function askRunningInbox(folder: string, email: string): Promise<string | undefined> {
  const path = join(folder, `invite-${randomBytes(8).toString('hex')}.json`);
  writeFileSync(`${path}.new`, JSON.stringify({ email }), { mode: 0o600 });
  const { uid, gid } = statSync(folder);
  // That inbox may run as another user, who could not read root's.
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
      // No answer was sent yet.
    }
  }
  rmSync(path, { force: true });
  return undefined;
}

/** A line's `what`: what somebody did, or how signing in went. */
type Recorded =
  | Audited
  | 'signed_in'
  | 'signed_out'
  /** The provider vouched for somebody who may not use the inbox, or not this form. */
  | 'refused';

/** A line: who did what to which submission, without a value of it. */
interface AuditLine extends AuditedThing {
  /** The verified address, or what the provider calls the person. */
  readonly who: string;
  /** A hash of the provider and its id of the person. */
  readonly subject: string;
  readonly what: Recorded;
  readonly why?: string | undefined;
}

interface AuditLog {
  /** Resolves once it is on the disk. Rejects if it cannot be written. */
  write(line: AuditLine): Promise<void>;
}

/** Writes one file a month, which only the owner of the process can read. @param folder The latest one. */
export function createAuditLog(folder: () => string, now: () => number): AuditLog {
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
      // A disk that was full may have left half a line.
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
    write(line) {
      waiting.push(`${JSON.stringify({ at: new Date(now()).toISOString(), ...line })}\n`);
      // All lines that come during a write share the next one.
      next ??= last.then(append);
      last = next.catch(() => undefined);
      return next;
    },
  };
}
