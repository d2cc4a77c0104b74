import { comparable, sameAddress } from '@form-relay/base/canonical';
import { ClientError } from '@form-relay/base/client_error';
import type { Result } from '@form-relay/base/result';
import { type ArchiveDocument, earlierOf } from '@form-relay/more-outputs/archive_layout';
import type { ContentKeys } from '@form-relay/queue/content';
import type { Leases } from '@form-relay/queue/index';
import { type Archive, documentPath, type Entry } from '../archive/archive.ts';
import { ahead } from '../archive/export.ts';
import { readEntry, type Unseal, writeDocument } from '../archive/read_entry.ts';
import { documentOf, type SubmissionDocument, submissionOf } from '../kept/list.ts';
import { readListed } from '../kept/open.ts';

/** How an address occurs: `whole` as a value, optionally with a name, or `mentioned` in a longer text. */
type Occurrence = 'whole' | 'mentioned';

/** @returns How the address occurs in the values of fields, in any spelling. */
export function occurrenceIn(
  email: string,
  values: Iterable<string>,
  others: Iterable<string> = [],
): Occurrence | undefined {
  const wanted = sameAddress(email);
  const mention = mentionOf(wanted);
  let isMentioned = false;
  for (const value of values) {
    if (sameAddress(value) === wanted) return 'whole';
    isMentioned ||= mention.test(comparable(value));
  }
  for (const other of others) isMentioned ||= mention.test(comparable(other));
  return isMentioned ? 'mentioned' : undefined;
}

/** Matches an address in a comparable text, but not as a part of another address. */
function mentionOf(address: string): RegExp {
  const escaped = address.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `(^|[^\\p{L}\\p{N}.!#$%&'*+/=?^_\`{|}~@-])${escaped}(?![\\p{L}\\p{N}@-]|\\.[\\p{L}\\p{N}])`,
    'u',
  );
}

/** The search terms that find all spellings of an address in an index; if empty, search everything. */
export function searchFor(email: string): string {
  const search = sameAddress(email)
    .replaceAll(/(?<=[@.])xn--[^.]*/g, '')
    .replaceAll('@', ' ');
  return /[\p{L}\p{N}]/u.test(search) ? search : '';
}

/** All stored data of a person, who is identified by an address. */

export interface PersonArchive {
  /** The archive's name for people. */
  readonly name: string;
  readonly archive: Archive;
}

export interface PersonStore {
  readonly name: string;
  readonly leases: Leases;
  readonly keys: ContentKeys;
}

export interface Stored {
  readonly archives: readonly PersonArchive[];
  readonly stores: readonly PersonStore[];
  /** If `undefined`, sealed submissions cannot be read. */
  readonly unseal: Unseal | undefined;
}

export interface Wanted {
  readonly email: string;
  /** Whether to search a form. Default: all forms. */
  readonly isForm?: ((form: string) => boolean) | undefined;
}

interface About {
  /** The submission's id. */
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
  readonly occurs: Occurrence;
  /** The name of the archive or store. */
  readonly place: string;
}

export type FoundOne =
  | (About & { readonly kind: 'archived'; readonly archive: number; readonly entry: Entry })
  | (About & { readonly kind: 'kept'; readonly store: number; readonly delivery: string });

export interface FoundContent {
  readonly one: FoundOne;
  readonly document: ArchiveDocument | SubmissionDocument;
}

/** Receives what could not be searched; of submissions sealed to other keys, only the number. */
export interface Missed {
  trouble(place: string, what: string): void;
  /** Reports something that is not part of an archive, and is left alone. */
  foreign(place: string, what: string): void;
  sealed(): void;
}

/** How many documents are read at once. */
const readAtOnce = 16;

/** Searches everything. A `mapping` may have left out the address, so other copies of a submission are found by its id. */
export async function* findPerson(
  stored: Stored,
  wanted: Wanted,
  missed: Missed,
): AsyncGenerator<FoundContent> {
  const own = new Map<string, Occurrence>();
  const places = new Set<string>();
  const changes: Change[] = [];
  const noted = (all: AsyncIterable<FoundContent>) => note(all, own, places);
  for (const [index, { name }] of stored.archives.entries())
    yield* unlessBroken(noted(inArchive(stored, index, wanted, missed, changes)), name, missed);
  for (const [index, { name }] of stored.stores.entries())
    yield* unlessBroken(noted(inStore(stored, index, wanted, missed, changes)), name, missed);
  const related = familiesOf(own, changes);
  for (const { key, content } of changes) {
    const occurs = own.has(key) ? undefined : related.get(key);
    if (content && occurs) yield { ...content, one: { ...content.one, occurs } };
  }
  for (const [key, occurs] of related) if (!own.has(key)) own.set(key, occurs);
  // Pass no `missed`, because the first pass has reported the errors.
  if (own.size > 0)
    for (const [index, { name }] of stored.archives.entries())
      yield* unlessBroken(
        otherCopies(stored, index, { own, related, places, email: wanted.email }, missed),
        name,
        undefined,
      );
}

async function* note(
  all: AsyncIterable<FoundContent>,
  own: Map<string, Occurrence>,
  places: Set<string>,
): AsyncGenerator<FoundContent> {
  for await (const found of all) {
    const { one } = found;
    if (own.get(keyOf(one)) !== 'whole') own.set(keyOf(one), one.occurs);
    if (one.kind === 'archived') {
      // Another copy may still show that the submission is from this person.
      if (one.occurs === 'mentioned') continue;
      places.add(`${one.archive}/${documentPath(one.entry)}`);
    }
    yield found;
  }
}

const keyOf = ({ form, id }: { readonly form: string; readonly id: string }) => `${form}\0${id}`;

/** A change or withdrawal of a submission, by anyone. */
interface Change {
  readonly key: string;
  readonly of: string;
  /** A queued delivery, which the second pass would not find. */
  readonly content?: FoundContent;
}

/** Submissions with another version that is from this person, because the address may have been corrected. */
function familiesOf(own: ReadonlyMap<string, Occurrence>, changes: readonly Change[]) {
  const first = new Map(changes.map(({ key, of }) => [key, of]));
  const families = new Map<string, Occurrence>();
  for (const [key, occurs] of own) {
    const family = first.get(key) ?? key;
    if (families.get(family) !== 'whole') families.set(family, occurs);
  }
  const related = new Map<string, Occurrence>();
  for (const { key, of } of changes) {
    const occurs = families.get(of);
    if (occurs) related.set(key, occurs).set(of, occurs);
  }
  return related;
}

interface Found {
  readonly own: ReadonlyMap<string, Occurrence>;
  readonly related: ReadonlyMap<string, Occurrence>;
  readonly places: ReadonlySet<string>;
  readonly email: string;
}

async function* otherCopies(
  { archives, unseal }: Stored,
  index: number,
  { own, related, places, email }: Found,
  missed: Missed,
): AsyncGenerator<FoundContent> {
  const place = archives[index];
  if (!place) return;
  const { name, archive } = place;
  for await (const entry of archive.entries({}, () => {})) {
    const occurs = own.get(keyOf(entry));
    if (!occurs || places.has(`${index}/${documentPath(entry)}`) || (entry.isSealed && !unseal)) continue;
    const document = await readEntry({ archive, unseal }, entry);
    const { id, form, receivedAt } = entry;
    if (!document.ok || document.value.id !== id || document.value.form !== form) continue;
    // The copy found first may have been planted under the id of another person's submission.
    const isForeign = occurrenceOf(email, document.value) !== 'whole' && hasAddress(document.value);
    if (isForeign && !related.has(keyOf(entry))) {
      missed.trouble(`${name}/${documentPath(entry)}`, 'is from another address; ignored');
      continue;
    }
    const about = { id, form, receivedAt, occurs, place: name };
    yield { one: { kind: 'archived', ...about, archive: index, entry }, document: document.value };
  }
}

const hasAddress = ({ fields }: ArchiveDocument | SubmissionDocument): boolean =>
  fields.some(({ values }) => values.some((value) => /^[^\s@<>]+@[^\s@<>]+$/.test(value.trim())));

/** If a place cannot be listed, reports that and continues with the others. */
async function* unlessBroken<T>(
  all: AsyncIterable<T>,
  name: string,
  missed: Missed | undefined,
): AsyncGenerator<T> {
  try {
    yield* all;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    missed?.trouble(name, error.message);
  }
}

async function* inArchive(
  { archives, unseal }: Stored,
  index: number,
  { email, isForm = () => true }: Wanted,
  missed: Missed,
  changes: Change[],
): AsyncGenerator<FoundContent> {
  const place = archives[index];
  if (!place) return;
  const { name, archive } = place;
  const entries = archive.entries({}, ({ kind, path, what }) =>
    missed[kind === 'foreign' ? 'foreign' : 'trouble'](`${name}/${path}`, what),
  );
  const all = ahead(entries, readAtOnce, async (entry) => {
    if (!isForm(entry.form)) return undefined;
    const isShut = entry.isSealed && !unseal;
    return { entry, document: isShut ? undefined : await readEntry({ archive, unseal }, entry) };
  });
  for await (const read of all) {
    if (!read) continue;
    const { entry, document } = read;
    if (!document) {
      missed.sealed();
      continue;
    }
    const path = `${name}/${documentPath(entry)}`;
    if (!document.ok) {
      missed.trouble(path, document.error);
      continue;
    }
    const { id, form, receivedAt } = entry;
    const earlier = earlierOf(document.value);
    if (earlier) changes.push({ key: keyOf(entry), of: keyOf({ form, id: earlier.id }) });
    const occurs = occurrenceOf(email, document.value);
    if (!occurs) continue;
    // The path identifies the submission. A document with a different id was planted.
    if (document.value.id !== id || document.value.form !== form) {
      missed.trouble(path, 'has the id of another submission; ignored');
      continue;
    }
    const about = { id, form, receivedAt, occurs, place: name };
    yield { one: { kind: 'archived', ...about, archive: index, entry }, document: document.value };
  }
}

async function* inStore(
  { stores }: Stored,
  index: number,
  { email, isForm = () => true }: Wanted,
  missed: Missed,
  changes: Change[],
): AsyncGenerator<FoundContent> {
  const place = stores[index];
  if (!place) return;
  const { name, leases, keys } = place;
  for await (const listed of leases.list()) {
    const { kept } = listed;
    if (!isForm(kept.form)) continue;
    const read = await readListed(listed, keys);
    if (!read.ok) {
      missed.trouble(`${name}: ${kept.id}`, read.error);
      continue;
    }
    const document = documentOf(read.value, undefined);
    const occurs = occurrenceOf(email, document);
    const { id, form, receivedAt } = kept;
    const about = { id: submissionOf(id), form, receivedAt, occurs: occurs ?? 'whole', place: name };
    const content = { one: { kind: 'kept', ...about, store: index, delivery: id }, document } as const;
    const earlier = earlierOf(document);
    if (earlier) changes.push({ key: keyOf(about), of: keyOf({ form, id: earlier.id }), content });
    if (occurs) yield content;
  }
}

export function occurrenceOf(
  email: string,
  { fields, files, page }: ArchiveDocument | SubmissionDocument,
): Occurrence | undefined {
  const pageTexts = page ? [page.url.replaceAll(/%40/gi, '@'), page.title] : [];
  return occurrenceIn(
    email,
    fields.flatMap(({ values }) => values),
    [...files.map(({ name }) => name), ...pageTexts],
  );
}

/** All data of one stored submission as a line of JSON, with its place, or a text that explains why there is none. */
export const personLine = ({ one, document }: FoundContent): Result<string, string> =>
  writeDocument({
    id: one.id,
    form: one.form,
    received_at: new Date(one.receivedAt).toISOString(),
    ...document,
    stored_in: one.place,
    ...(one.kind === 'archived' ? { archive_path: documentPath(one.entry) } : { delivery: one.delivery }),
  });
