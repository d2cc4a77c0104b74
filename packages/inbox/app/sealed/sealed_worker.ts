/** Opens sealed entries, and searches what it has opened. Nothing that it opens leaves the browser. */
import { err, ok, type Result } from '@form-relay/core/base/result';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import { readDocument } from '@form-relay/stored/archive/document';
import { type Unseal, unsealWith } from '@form-relay/stored/archive/identities';
import type { SealedPage } from '../../src/api.ts';
import { correspondentOf, summaryOf } from '../../src/correspondent.ts';
import { type Cabinet, openCabinet } from './cabinet.ts';
import { openIdentity } from './identity.ts';
import type { Call, Found, Method, OpenedFile, SealedProgress } from './sealed_call.ts';
import { createSealedIndex, distinctWords, type IndexedRow } from './sealed_index.ts';

const mostEntries = 100_000;
const mostDocumentBytes = 16 * 1_048_576;
const entriesAPiece = 500;
/** Browsers open six connections to a server; the page needs some of them. */
const atOnce = 4;
const alienWords = 'This submission is sealed to another key.';

const index = createSealedIndex();
const pieces = new Map<number, Map<string, IndexedRow>>();
/** Sealed to another key: not fetched again while this identity opens. */
const alien = new Set<string>();
let unseal: Unseal | undefined;
let cabinet: Cabinet | undefined;
let running: Promise<void> | undefined;

const methods = {
  async unlock(
    identity: string | Uint8Array,
    passphrase: string,
    place: string,
  ): Promise<Result<null, string>> {
    const keys = await openIdentity(identity, passphrase);
    if (!keys.ok) return keys;
    unseal = await unsealWith(keys.value);
    alien.clear();
    cabinet = await openCabinet(place, keys.value).catch(() => undefined);
    for (const [nth, rows] of (await cabinet?.read()) ?? []) {
      pieces.set(nth, new Map(rows.map((row) => [row.id, row])));
      for (const row of rows) index.add(row);
    }
    return ok(null);
  },
  open,
  async openFile(id: string, nth: number): Promise<Result<OpenedFile, string>> {
    const document = await open(id);
    if (!document.ok) return document;
    const file = document.value.files[nth - 1];
    if (!file) return err('This submission has no such file.');
    const bytes = await fetchOpen(`/api/entries/${encodeURIComponent(id)}/files/${nth}`, Infinity);
    if (!bytes.ok) return bytes;
    const content = new Uint8Array(bytes.value);
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
    if ([...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('') !== file.sha256)
      return err('This file is not as it was received: its SHA-256 is another.');
    return ok({ name: file.name, type: file.type, bytes: content });
  },
  search: async (search: string) => index.search(search),
  rows: async (ids: readonly string[]) => ids.map((id) => index.row(id)),
  refresh: () => {
    running ??= fill().finally(() => {
      running = undefined;
    });
    return running;
  },
  forget: async () => cabinet?.clear(),
} satisfies Record<Method, unknown>;

async function fetchOpen(path: string, mostBytes: number): Promise<Result<Uint8Array, string>> {
  if (!unseal) return err('Enter the identity first.');
  const answer = await fetch(path).catch(() => undefined);
  if (!answer) return err('The inbox does not answer.');
  if (!answer.ok) return err(`The inbox refuses to give this submission (${answer.status}).`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes.length > mostBytes) return err('This submission is too large.');
  const opened = await unseal(bytes);
  return opened.ok ? opened : err(`This submission ${opened.error}.`);
}

async function open(id: string, as?: Found): Promise<Result<ArchiveDocument, string>> {
  const bytes = await fetchOpen(`/api/entries/${encodeURIComponent(id)}/document`, mostDocumentBytes);
  if (!bytes.ok) return bytes;
  const read = readDocument(bytes.value);
  if (!read.ok) return err(`This submission ${read.error}.`);
  const { form, received_at: receivedAt } = read.value;
  const isSame =
    read.value.id === id && (!as || (as.form === form && as.receivedAt === Date.parse(receivedAt)));
  return isSame ? read : err('The inbox gave another submission than the one asked for.');
}

/** Lists all entries, forgets those that are gone, and opens new ones, the newest first. */
async function fill(): Promise<void> {
  let found: Found[] = [];
  let after: string | undefined;
  const seen = new Set<string>();
  do {
    const query = new URLSearchParams({ count: '500', ...(after !== undefined && { after }) });
    const answer = await fetch(`/api/sealed?${query}`).catch(() => undefined);
    if (!answer?.ok)
      return report({
        opened: 0,
        shut: 0,
        of: 0,
        problem: 'The inbox does not list its sealed submissions.',
      });
    const page = (await answer.json()) as SealedPage;
    found.push(...page.entries);
    if (found.length > 2 * mostEntries) found = found.slice(-mostEntries);
    after = page.next;
    if (after !== undefined && seen.has(after)) break;
    seen.add(after ?? '');
  } while (after !== undefined);
  found = found.slice(-mostEntries).reverse();
  await forgetAllBut(new Set(found.map(({ id }) => id)));
  const unknown = found.filter(({ id }) => !index.has(id) && !alien.has(id));
  const fresh = unknown.values();
  let shut = found.filter(({ id }) => alien.has(id)).length;
  let problem = shut > 0 ? alienWords : undefined;
  const changed = new Set<number>();
  const tell = () => report({ opened: found.length - left - shut, shut, of: found.length, problem });
  let left = unknown.length;
  tell();
  const work = async () => {
    for (const one of fresh) {
      const document = await open(one.id, one);
      left -= 1;
      if (document.ok) changed.add(put(rowOf(one, document.value)));
      else {
        shut += 1;
        problem = document.error;
        if (problem === alienWords) alien.add(one.id);
      }
      if (left % 100 === 0) tell();
      if (left % entriesAPiece === 0) await save(changed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await save(changed);
  tell();
}

function put(row: IndexedRow): number {
  index.add(row);
  const last = Math.max(0, ...pieces.keys());
  const nth = (pieces.get(last)?.size ?? 0) < entriesAPiece ? last : last + 1;
  const piece = pieces.get(nth) ?? new Map<string, IndexedRow>();
  pieces.set(nth, piece.set(row.id, row));
  return nth;
}

/** A disk that is full costs only the next visit's time. */
async function save(changed: Set<number>): Promise<void> {
  const these = [...changed];
  changed.clear();
  for (const nth of these)
    await cabinet?.write(nth, [...(pieces.get(nth)?.values() ?? [])]).catch(() => undefined);
}

async function forgetAllBut(ids: ReadonlySet<string>): Promise<void> {
  const changed = new Set<number>();
  for (const [nth, piece] of pieces)
    for (const id of [...piece.keys()]) {
      if (ids.has(id)) continue;
      index.remove(id);
      piece.delete(id);
      changed.add(nth);
    }
  await save(changed);
}

function rowOf({ id, form, receivedAt }: Found, { fields, files }: ArchiveDocument): IndexedRow {
  const values = fields.flatMap((field) => field.values);
  const { name, email, message } = correspondentOf(fields);
  const sender = name || email;
  const summary = summaryOf(values, [name, email], message).slice(0, 200);
  const words = distinctWords([...values, ...files.map(({ name }) => name)]);
  return { id, form, receivedAt, sender: sender.slice(0, 200), summary, files: files.length, words };
}

const report = (progress: SealedProgress) => postMessage({ progress });

addEventListener('message', async ({ data }: MessageEvent<Call>) => {
  const method = methods[data.method] as (...args: readonly unknown[]) => Promise<unknown>;
  try {
    postMessage({ call: data.call, result: await method(...data.args) });
  } catch {
    postMessage({ call: data.call, hasFailed: true });
  }
});
