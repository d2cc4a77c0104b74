/** The index itself: a row of SQLite and of `Columns` for each submission. */
import type { Entry } from '@form-relay/stored/archive/archive';
import { entryAt } from '@form-relay/stored/archive/place';
import type { Mark, State } from '../api.ts';
import { states } from '../api.ts';
import type { IndexedEntry, KeptAt, StoredAt } from '../entry_index.ts';
import { Campaigns } from './campaigns.ts';
import { Columns, flag, stateNumber } from './columns.ts';
import { type JournalFacts, journalFacts } from './journal.ts';
import { type Database, openDatabase, type Row } from './sqlite.ts';
import type { Texts } from './texts.ts';
import { type Found, WordTable } from './word_table.ts';

const marks: readonly (Mark | undefined)[] = [undefined, 'spam', 'ham'];

/** More types of outputs than this share a bit. */
const mostOutputs = 32;

export interface KeptFact extends KeptAt {
  /** The submission's. */
  readonly submission: string;
  readonly form: string;
  /** Its type; empty if the entry is damaged. */
  readonly output: string;
  readonly at: number;
}

const schema = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -6000;
  CREATE TABLE IF NOT EXISTS entry (row INTEGER PRIMARY KEY, id TEXT NOT NULL, sender TEXT NOT NULL,
    summary TEXT NOT NULL, files INTEGER NOT NULL, stored TEXT NOT NULL, kept TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS line (row INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS line_row ON line (row);`;

const statements = (db: Database) => ({
  id: db.prepare('SELECT id FROM entry WHERE row = ?'),
  add: db.prepare('INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)'),
  text: db.prepare('UPDATE entry SET sender = ?, summary = ?, files = ? WHERE row = ?'),
  get: db.prepare('SELECT * FROM entry WHERE row = ?'),
  store: db.prepare('UPDATE entry SET stored = ? WHERE row = ?'),
  keep: db.prepare('UPDATE entry SET kept = ? WHERE row = ?'),
  line: db.prepare('INSERT INTO line VALUES (?, ?)'),
  lines: db.prepare('SELECT text FROM line WHERE row = ? ORDER BY rowid'),
  clear: db.prepare('DELETE FROM entry WHERE row = ?'),
  clearLines: db.prepare('DELETE FROM line WHERE row = ?'),
});

export class Book {
  columns = new Columns();
  forms: string[] = [];
  outputs: string[] = [];
  readonly #db: Database;
  readonly #isDropped: readonly boolean[];
  readonly #sql: ReturnType<typeof statements>;
  readonly #words: WordTable;
  readonly #campaigns: Campaigns;
  readonly #forgotten = new Set<string>();

  /** @param isDropped Of each archive. */
  constructor(file: string, isDropped: readonly boolean[]) {
    this.#isDropped = isDropped;
    const db = openDatabase(file);
    this.#db = db;
    db.exec(schema);
    this.#words = new WordTable(db);
    this.#campaigns = new Campaigns(db);
    this.#sql = statements(db);
  }

  begin(): void {
    this.#db.exec('BEGIN');
  }

  commit(): void {
    this.#db.exec('COMMIT');
  }

  close(): void {
    this.#db.close();
  }

  formNumber(form: string): number {
    const known = this.forms.indexOf(form);
    return known === -1 ? this.forms.push(form) - 1 : known;
  }

  outputBit(type: string): number {
    const known = this.outputs.indexOf(type);
    return 1 << ((known === -1 ? this.outputs.push(type) - 1 : known) % mostOutputs);
  }

  /** Its row, if it is there. */
  find(id: string): number | undefined {
    const isIt = (row: number) => !this.#is(row, flag.dead) && this.#sql.id.all([row])[0]?.id === id;
    return this.columns.find(id, isIt);
  }

  #is(row: number, bit: number): boolean {
    return ((this.columns.flags[row] as number) & bit) !== 0;
  }

  #set(row: number, bit: number, isSet: boolean): void {
    const { flags } = this.columns;
    flags[row] = isSet ? (flags[row] as number) | bit : (flags[row] as number) & ~bit;
  }

  #add(id: string, form: string, at: number, texts: Texts | undefined, stored: readonly StoredAt[]): number {
    const row = this.columns.add(id, this.formNumber(form), at);
    const { sender = '', summary = '', files = 0 } = texts ?? {};
    this.#sql.add.run([row, id, sender, summary, files, packed(stored), '']);
    if (texts) this.#index(row, texts);
    return row;
  }

  #index(row: number, { words, sketch }: Texts): void {
    const { form, at } = this.columns;
    this.#words.add(row, words);
    this.#set(row, flag.text, true);
    if (sketch)
      this.#campaigns.add(
        { row, form: form[row] as number, at: at[row] as number, sketch },
        (other) => !this.#is(other, flag.dead),
      );
  }

  /** Whether a document is known already. */
  has(id: string, { archive, path }: StoredAt): boolean {
    const row = this.find(id);
    return row !== undefined && this.#stored(row).some((one) => one.archive === archive && one.path === path);
  }

  /** Whether another submission, of another form or time, has its id: one of the two was planted. */
  isOther({ id, form, receivedAt }: Pick<Entry, 'id' | 'form' | 'receivedAt'>): boolean {
    const row = this.find(id);
    const [first] = row === undefined ? [] : this.#stored(row);
    const known = first && entryAt(first.path);
    return known !== undefined && (known.form !== form || known.receivedAt !== receivedAt);
  }

  /** Takes in a document. @param texts `undefined`: it is sealed. */
  store(
    { id, form, receivedAt }: { readonly id: string; readonly form: string; readonly receivedAt: number },
    at: StoredAt,
    texts: Texts | undefined,
    isDoubted: boolean,
  ): void {
    const known = this.find(id);
    const row = known ?? this.#add(id, form, receivedAt, texts, [at]);
    if (known !== undefined) {
      const stored = this.#stored(row).filter(
        ({ archive, path }) => archive !== at.archive || path !== at.path,
      );
      this.#sql.store.run([packed([...stored, at].sort((a, b) => this.#rank(a) - this.#rank(b))), row]);
      if (texts && !this.#is(row, flag.text)) {
        this.#sql.text.run([texts.sender, texts.summary, texts.files, row]);
        this.#index(row, texts);
      }
    }
    if (!texts && !this.#is(row, flag.text)) this.#set(row, flag.sealed, true);
    else this.#set(row, flag.sealed, false);
    const isDropped = this.#isDropped[at.archive];
    this.#set(row, isDropped ? flag.dropped : flag.delivered, true);
    if (isDoubted) this.#set(row, flag.doubted, true);
    if (known !== undefined || isDropped) this.#settle(row);
  }

  #rank({ archive }: StoredAt): number {
    return this.#isDropped[archive] ? 1 : 0;
  }

  markOf(row: number): Mark | undefined {
    return marks[this.columns.mark[row] as number];
  }

  storedAt(row: number): readonly StoredAt[] {
    return this.#stored(row);
  }

  #stored(row: number): StoredAt[] {
    return unpacked(String(this.#sql.get.all([row])[0]?.stored ?? ''));
  }

  /** Forgets one document; the entry too if nothing else is left. */
  unstore(row: number, archive: number, path: string): void {
    const left = this.#stored(row).filter((one) => one.archive !== archive || one.path !== path);
    this.#sql.store.run([packed(left), row]);
    this.#set(
      row,
      flag.dropped,
      left.some((one) => this.#rank(one) === 1),
    );
    this.#set(
      row,
      flag.delivered,
      left.some((one) => this.#rank(one) === 0),
    );
    if (left.length > 0 || this.#is(row, flag.kept)) this.#settle(row);
    else this.remove(row);
  }

  remove(row: number): void {
    if (this.#is(row, flag.text)) {
      this.#words.remove(row);
      this.#campaigns.remove(row);
    }
    this.#sql.clear.run([row]);
    this.#sql.clearLines.run([row]);
    this.columns.flags[row] = flag.dead;
  }

  /** Removes an entry that a person deleted. The line that says so, which comes later, adds no entry. */
  forget(row: number): void {
    this.#forgotten.add(this.idOf(row));
    this.remove(row);
  }

  isForgotten(id: string): boolean {
    return this.#forgotten.has(id);
  }

  /** Takes in a line of the journal. Returns the facts before and after it. */
  journal(line: { readonly id: string; readonly form: string; readonly at: number }, text: string) {
    const row = this.find(line.id) ?? this.#add(line.id, line.form, line.at, undefined, []);
    const lines = this.#lines(row);
    this.#sql.line.run([row, text]);
    this.#set(row, flag.told, true);
    return { row, before: journalFacts(lines), after: this.#settle(row, [...lines, text]) };
  }

  #lines(row: number): readonly string[] {
    return this.#is(row, flag.told) ? this.#sql.lines.all([row]).map(({ text }) => String(text)) : [];
  }

  /** Tells its state anew. */
  #settle(row: number, lines = this.#lines(row)): JournalFacts {
    const facts = journalFacts(lines);
    const { columns } = this;
    const kept = this.#is(row, flag.kept) ? keptOf(this.#sql.get.all([row])[0]) : [];
    const isDroppedOnly = this.#is(row, flag.dropped) && !this.#is(row, flag.delivered);
    const state: State = kept.length > 0 ? 'kept' : (facts.state ?? (isDroppedOnly ? 'dropped' : 'unknown'));
    columns.state[row] = stateNumber(state);
    if (facts.isDoubted) this.#set(row, flag.doubted, true);
    const types = [...facts.types, ...kept.map(({ type }) => type)];
    columns.outputs[row] = types.reduce((bits, type) => bits | this.outputBit(type), 0);
    return facts;
  }

  /** Takes in all kept deliveries, in place of those before; returns the ids of their submissions. */
  keep(
    all: readonly KeptFact[],
    before: ReadonlySet<string>,
    writing: (work: () => void) => void,
  ): ReadonlySet<string> {
    const byId = new Map<string, KeptFact[]>();
    for (const one of all) byId.set(one.submission, [...(byId.get(one.submission) ?? []), one]);
    const changes: (() => void)[] = [];
    for (const id of before) {
      const row = byId.has(id) ? undefined : this.find(id);
      if (row !== undefined) changes.push(() => this.#unkeep(row));
    }
    for (const [id, facts] of byId) {
      const text = JSON.stringify(
        facts.map(({ store, id, nextAt, waitsForOwner, output }) => ({
          ...{ store, id, nextAt, waitsForOwner },
          type: output,
        })),
      );
      const row = this.find(id);
      if (row !== undefined && this.#sql.get.all([row])[0]?.kept === text) continue;
      const { form = '', at = 0 } = facts[0] ?? {};
      changes.push(() => this.#keep(row ?? this.#add(id, form, at, undefined, []), text));
    }
    if (changes.length > 0) writing(() => changes.forEach((change) => void change()));
    return new Set(byId.keys());
  }

  #keep(row: number, text: string): void {
    this.#sql.keep.run([text, row]);
    this.#set(row, flag.kept, text !== '');
    this.#settle(row);
  }

  #unkeep(row: number): void {
    this.#keep(row, '');
    if (this.#stored(row).length === 0 && journalFacts(this.#lines(row)).state === undefined)
      this.remove(row);
  }

  isRead(row: number): boolean {
    return this.#is(row, flag.read);
  }

  setRead(row: number, isRead: boolean): void {
    this.#set(row, flag.read, isRead);
  }

  setMark(row: number, mark: Mark, at: number): void {
    this.columns.mark[row] = marks.indexOf(mark);
    this.columns.markedAt[row] = at;
  }

  /** The rows of the campaign of an entry, itself among them; none if there is no such entry. */
  alike(id: string): readonly number[] {
    const row = this.find(id);
    return row === undefined ? [] : this.#campaigns.rows(row);
  }

  /** Rows in which all words occur; `undefined`: no word is asked for. */
  search(search: string | undefined, sender: string | undefined, isExact?: boolean): Found | undefined {
    return this.#words.find(search, sender, this.columns.count, isExact);
  }

  /** @param isWhole With its journal. */
  entry(row: number, isWhole = true): IndexedEntry | undefined {
    const found = this.#sql.get.all([row])[0];
    if (!found || this.#is(row, flag.dead)) return undefined;
    const { columns } = this;
    const alike = this.#campaigns.count(row);
    return {
      id: String(found.id),
      form: this.forms[columns.form[row] as number] ?? '',
      receivedAt: columns.at[row] as number,
      state: states[columns.state[row] as number] ?? 'unknown',
      isDoubted: this.#is(row, flag.doubted),
      isRead: this.#is(row, flag.read),
      isSealed: this.#is(row, flag.sealed),
      mark: this.markOf(row),
      sender: String(found.sender),
      summary: String(found.summary),
      files: Number(found.files),
      ...(alike > 1 && { alike }),
      stored: unpacked(String(found.stored)),
      kept: keptOf(found).map(({ type: _, ...kept }) => kept),
      journal: isWhole ? this.#lines(row) : [],
    };
  }

  idOf(row: number): string {
    return String(this.#sql.id.all([row])[0]?.id ?? '');
  }
}

function keptOf(row: Row | undefined): readonly (KeptAt & { readonly type: string })[] {
  const text = String(row?.kept ?? '');
  return text === '' ? [] : JSON.parse(text);
}

const packed = (stored: readonly StoredAt[]) =>
  stored.map(({ archive, path }) => `${archive}:${path}`).join('\n');

const unpacked = (text: string): StoredAt[] =>
  text === ''
    ? []
    : text.split('\n').map((one) => {
        const colon = one.indexOf(':');
        return { archive: Number(one.slice(0, colon)), path: one.slice(colon + 1) };
      });
