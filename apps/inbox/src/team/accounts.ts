/** Invited people, sign-in links and API keys, in the inbox's own store. Tokens are stored as hashes. */
import { createHash, randomBytes } from 'node:crypto';
import type { KeyView, PersonRight } from '../api.ts';
import type { Person } from '../gate.ts';
import type { Part, Store } from '../store/store.ts';
import { lowerCase } from './identity.ts';

/** An invited person, in the form of an entry of `people` in the config. */
export interface Invited {
  readonly email: string;
  readonly name: string;
  readonly may: readonly PersonRight[];
  /** Default: all. */
  readonly forms?: readonly string[] | undefined;
  readonly at: number;
  readonly by: string;
}

/** The state of a link. `elsewhere`: another browser asked for it. `unconfirmed`: an invitation, which a button accepts. */
export type LinkState = 'open' | 'unconfirmed' | 'elsewhere' | 'used' | 'old' | 'unknown';

export type Accounts = ReturnType<typeof openAccounts>;

const part: Part = {
  name: 'people',
  migrations: [
    `CREATE TABLE people_person (email TEXT PRIMARY KEY, name TEXT NOT NULL, may TEXT NOT NULL, forms TEXT, at INTEGER NOT NULL,
      "by" TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE people_session (hash TEXT PRIMARY KEY, identity TEXT NOT NULL, begun_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
      browser TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE people_link (hash TEXT PRIMARY KEY, email TEXT NOT NULL, browser TEXT, until INTEGER NOT NULL, is_used INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE people_key (hash TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, forms TEXT, made_at INTEGER NOT NULL,
      made_by TEXT NOT NULL, until INTEGER, used_at INTEGER) WITHOUT ROWID;`,
  ],
};

export const linkMs = 900_000;
/** How long an expired link is remembered, so that its page can say that it expired. */
const linkKeptMs = 7 * 86_400_000;
/** Last use is written to the store at most this often. */
const noteMs = 60_000;

export const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
export const newSecret = () => randomBytes(32).toString('base64url');

type Row<T> = {
  readonly [key in keyof T]-?: T[key] extends readonly unknown[] | undefined ? string | null : T[key] | null;
};

const formsIn = (text: string | null): readonly string[] | undefined => (text ? JSON.parse(text) : undefined);
const textOf = (forms: readonly string[] | undefined) => forms && JSON.stringify(forms);

export function openAccounts(store: Store, now: () => number) {
  const tables = store.tables(part);
  const listeners = new Set<() => void>();
  const lost = () => listeners.forEach((then) => void then());

  const invitedOf = ({ may, forms, ...one }: Row<Invited>) =>
    ({ ...one, may: JSON.parse(may ?? '[]'), forms: formsIn(forms) }) as Invited;
  const people = 'SELECT email, name, may, forms, at, "by" FROM people_person';
  const keyOf = ({ forms, ...one }: Row<KeyView>) =>
    ({
      ...one,
      forms: formsIn(forms),
      until: one.until ?? undefined,
      usedAt: one.usedAt ?? undefined,
    }) as KeyView;
  const keys =
    'SELECT id, name, forms, made_at AS madeAt, made_by AS madeBy, until, used_at AS usedAt FROM people_key';

  const find = (email: string): Invited | undefined => {
    const row = tables.get<Row<Invited>>(`${people} WHERE email = ?`, lowerCase(email));
    return row && invitedOf(row);
  };

  return {
    tables,
    people: (): readonly Invited[] => tables.all<Row<Invited>>(`${people} ORDER BY at, email`).map(invitedOf),
    find,
    /** Adds or changes a person. Without the right to manage, the person's keys are deleted. */
    put({ email, name, may, forms, at, by }: Invited): void {
      const isDemoted = find(email)?.may.includes('manage') && !may.includes('manage');
      tables.erase(() => {
        if (isDemoted) tables.run('DELETE FROM people_key WHERE made_by = ?', lowerCase(email));
        tables.run(
          'INSERT OR REPLACE INTO people_person VALUES (?, ?, ?, ?, ?, ?)',
          ...[lowerCase(email), name, JSON.stringify(may), textOf(forms), at, by],
        );
      });
      lost();
    },
    /** Removes a person and the keys that this person created. */
    remove(email: string): void {
      tables.erase(() => {
        tables.run('DELETE FROM people_person WHERE email = ?', lowerCase(email));
        tables.run('DELETE FROM people_key WHERE made_by = ?', lowerCase(email));
      });
      lost();
    },
    /** Creates a link's token. @param browser The requesting browser's secret. Absent for invitations. */
    makeLink(email: string, browser?: string): string {
      const token = newSecret();
      tables.write(() => {
        tables.run('DELETE FROM people_link WHERE until < ?', now() - linkKeptMs);
        const values = [hashOf(token), lowerCase(email), browser && hashOf(browser), now() + linkMs];
        tables.run('INSERT INTO people_link VALUES (?, ?, ?, ?, 0)', ...values);
      });
      return token;
    },
    lookAtLink(token: string, browser: string): { readonly state: LinkState; readonly email: string } {
      const link = tables.get<{ email: string; browser: string | null; until: number; is_used: number }>(
        'SELECT email, browser, until, is_used FROM people_link WHERE hash = ?',
        hashOf(token),
      );
      const at = now();
      const state = !link
        ? 'unknown'
        : link.is_used
          ? 'used'
          : at >= link.until || at < link.until - linkMs - noteMs
            ? 'old'
            : link.browser === null
              ? 'unconfirmed'
              : link.browser === hashOf(browser)
                ? 'open'
                : 'elsewhere';
      return { state, email: link?.email ?? '' };
    },
    /** Consumes a link that `lookAtLink` calls open or unconfirmed. */
    useLink: (token: string): void =>
      tables.run('UPDATE people_link SET is_used = 1 WHERE hash = ?', hashOf(token)),
    keys: (): readonly KeyView[] => tables.all<Row<KeyView>>(`${keys} ORDER BY made_at, id`).map(keyOf),
    /** Returns the key, which is not stored. */
    makeKey({ name, forms, madeBy, until }: Omit<KeyView, 'id' | 'madeAt' | 'usedAt'>): string {
      const key = `frk_${newSecret()}`;
      const id = randomBytes(6).toString('hex');
      const values = [hashOf(key), id, name, textOf(forms), now(), lowerCase(madeBy), until];
      tables.run('INSERT INTO people_key VALUES (?, ?, ?, ?, ?, ?, ?, NULL)', ...values);
      return key;
    },
    revoke(id: string): void {
      tables.erase(() => tables.run('DELETE FROM people_key WHERE id = ?', id));
      lost();
    },
    /** The program with this key. Counts as a use. */
    program(secret: string): Person | undefined {
      const hash = hashOf(secret);
      const look = () => {
        const row = tables.get<Row<KeyView>>(`${keys} WHERE hash = ?`, hash);
        const key = row && keyOf(row);
        return key && now() < (key.until ?? Infinity) ? key : undefined;
      };
      const key = look();
      if (!key) return undefined;
      if (now() - (key.usedAt ?? 0) > noteMs)
        tables.run('UPDATE people_key SET used_at = ? WHERE hash = ?', now(), hash);
      const forms = key.forms && new Set(key.forms);
      return {
        name: `key “${key.name}”`,
        subject: `key ${key.id}`,
        isProgram: true,
        forms,
        may: (right, form) => right === 'read' && (forms?.has(form) ?? true),
        isStill: () => look() !== undefined,
      };
    },
    /** Calls back when somebody loses a right, a session or a key. */
    onLoss: (then: () => void) => void listeners.add(then),
    lost,
  };
}
