/** Exports or erases everything about one person. The index finds submissions; documents are read again. */

import { isBucket } from '@form-relay/stored/archive/open';
import { removeFrom } from '@form-relay/stored/archive/prune';
import { readEntry } from '@form-relay/stored/archive/read_entry';
import { keysOf } from '@form-relay/stored/kept/open';
import { verdictFileOf } from '@form-relay/stored/marks/verdicts';
import { type ErasingArchive, erase, recordFileOf } from '@form-relay/stored/person/erase';
import {
  type FoundContent,
  findPerson,
  type Missed,
  occurrenceOf,
  personLine,
} from '@form-relay/stored/person/find';
import type { Entry, Erased, Found } from '../api.ts';
import type { EntryIndex, Forms, IndexedEntry } from '../entry_index.ts';
import { type ActionArchive, type ActionContext, locate, rootOf } from './context.ts';

export interface PeopleContext extends Pick<ActionContext, 'archives' | 'stores' | 'settings'> {
  readonly services: Pick<ActionContext['services'], 'now' | 'env'>;
  readonly index: Pick<EntryIndex, 'ofAddress' | 'get' | 'countSealed'>;
}

export type People = ReturnType<typeof createPeople>;

/** Works within the forms that the caller passes. */
export function createPeople(context: PeopleContext) {
  const { index } = context;
  return {
    async find(email: string, forms: Forms): Promise<Found> {
      const missed = countMissed();
      const byId = new Map<string, Entry & { places: string[] }>();
      for await (const { one } of allOf(context, email, forms, missed)) {
        if (one.occurs !== 'whole') continue;
        // Omits what only the server needs.
        const { stored: _, kept: _kept, ...entry } = (await index.get(one.id)) ?? unknown(one);
        const known = byId.get(one.id) ?? { ...entry, places: [] };
        if (!known.places.includes(one.place)) known.places.push(one.place);
        byId.set(one.id, known);
      }
      const sealed = (await index.countSealed(forms)) + missed.sealedOnes;
      return { entries: [...byId.values()], sealed };
    },
    /** JSON Lines. */
    async *export(email: string, forms: Forms): AsyncGenerator<string> {
      for await (const found of allOf(context, email, forms, countMissed())) {
        const line = found.one.occurs === 'whole' ? personLine(found) : undefined;
        if (line?.ok) yield `${line.value}\n`;
      }
    },
    /** @param ids As `find` listed them: nothing else is removed. */
    async erase(email: string, ids: readonly string[], forms: Forms): Promise<Erased> {
      const wanted = new Set(ids);
      const missed = countMissed();
      const found = [];
      // Keeps submissions that arrived after the list was shown.
      for await (const { one } of allOf(context, email, forms, missed, wanted))
        if (wanted.has(one.id)) found.push(one);
      const isForm = (form: string) => forms === undefined || forms.has(form);
      const known = new Set(found.map(({ id }) => id));
      for (const id of wanted) {
        const entry = known.has(id) ? undefined : await index.get(id);
        // The page listed this submission. If its archive cannot be read now, it must not be reported as erased.
        if (entry && isForm(entry.form)) await copiesOf(context, entry, missed);
      }
      const erased = await erase(found, {
        archives: context.archives.map(erasingOf),
        stores: storesOf(context),
        now: context.services.now,
      });
      const left = [...erased.left, ...missed.troubles];
      const isLeft = (id: string) => left.some((words) => words.includes(id));
      const gone = new Set(found.map(({ id }) => id).filter((id) => !isLeft(id)));
      return { entries: gone.size, left };
    },
  };
}

/** Finds submissions in the index, then reads their documents, because the index may be stale. @param wanted Reads only these. */
async function* allOf(
  context: PeopleContext,
  email: string,
  forms: Forms,
  missed: Missed,
  wanted?: ReadonlySet<string>,
): AsyncGenerator<FoundContent> {
  const isForm = (form: string) => forms === undefined || forms.has(form);
  const { index } = context;
  const ids = new Set((await index.ofAddress(email, forms)).map(({ id }) => id));
  const whole = new Set<string>();
  const stored = { archives: [], stores: storesOf(context), unseal: undefined };
  for await (const found of findPerson(stored, { email, isForm }, missed)) {
    ids.add(found.one.id);
    if (found.one.occurs === 'whole') whole.add(found.one.id);
    yield found;
  }
  for (const id of ids) {
    const entry = wanted?.has(id) === false ? undefined : await index.get(id);
    if (!entry || !isForm(entry.form)) continue;
    const copies: FoundContent[] = [];
    for (const { located, document } of await copiesOf(context, entry, missed)) {
      const { id, form, receivedAt } = located.entry;
      if (document.id !== id || document.form !== form) continue;
      const occurs = occurrenceOf(email, document) ?? 'mentioned';
      const about = { id, form, receivedAt, occurs, place: located.in.name };
      const one = { kind: 'archived', ...about, archive: located.archive, entry: located.entry } as const;
      copies.push({ one, document });
    }
    // An output's mapping may have omitted the address from a copy.
    const isWhole = whole.has(id) || copies.some(({ one }) => one.occurs === 'whole');
    for (const { one, document } of copies)
      yield { one: isWhole ? { ...one, occurs: 'whole' } : one, document };
  }
}

async function copiesOf(context: PeopleContext, entry: IndexedEntry, missed: Missed) {
  const copies = [];
  for (const located of [entry, ...entry.changes].flatMap((one) => locate(one, context))) {
    if (located.entry.isSealed) continue;
    const { archive, name } = located.in;
    const document = await readEntry({ archive, unseal: undefined }, located.entry);
    if (document.ok) copies.push({ located, document: document.value });
    else missed.trouble(`${name}/${located.path}`, document.error);
  }
  return copies;
}

const storesOf = ({ stores, services, settings }: PeopleContext) =>
  stores.map((leases) => ({ name: 'queued deliveries', leases, keys: keysOf(services, settings) }));

function erasingOf(one: ActionArchive): ErasingArchive {
  const { place, name, archive } = one;
  const root = rootOf(one);
  const siblings = !isBucket(place) && { verdicts: verdictFileOf(root), record: recordFileOf(root) };
  return { name, archive, remove: removeFrom(place, 'last'), ...siblings };
}

/** A queued delivery of a submission that is not in the index yet. */
const unknown = ({ id, form, receivedAt }: FoundContent['one']): Partial<IndexedEntry> & Entry => ({
  id,
  form,
  receivedAt,
  state: 'kept',
  isFailed: false,
  isDoubted: false,
  isRead: false,
  isSealed: false,
  sender: '',
  summary: '',
  files: 0,
});

function countMissed() {
  const counted = {
    sealedOnes: 0,
    troubles: [] as string[],
    trouble: (place: string, what: string) => {
      counted.troubles.push(`${place}: ${what}`);
    },
    foreign: () => {},
    sealed: () => {
      counted.sealedOnes += 1;
    },
  };
  return counted;
}
