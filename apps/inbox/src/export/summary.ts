/** Sums up a form's answers, one submission at a time, in bounded memory. */
import { structureIn } from '@form-relay/base/json';
import type { ArchiveDocument } from '@form-relay/more-outputs/archive_layout';
import { isRemark } from '@form-relay/spam/score/marks';
import type { Answers, Bar, Summary } from '../api.ts';
import type { ExportRow } from '../entry_index.ts';
import { datesIn, isNumber, quartiles } from './figures.ts';
import stopWords from './stop_words.json' with { type: 'json' };

export interface SummedField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** All options with their labels, in the form's order. */
  readonly options?: readonly (readonly [value: string, label: string])[] | undefined;
  /** Parts of a grid, an address or a list, with their names in the value. */
  readonly parts?: readonly SummedField[] | undefined;
}

const mostFields = 300;
const mostDistinct = 20_000;
const mostBars = 50;
const mostWords = 25;
const mostNewest = 5;
const mostShown = 300;
/** Characters of a text that are analysed. */
const mostRead = 2_000;

interface Options {
  readonly of: number;
  readonly fields: readonly SummedField[];
  readonly language: string;
}

export function createSummary({ of, fields, language }: Options) {
  const isStop = stopsOf(language);
  const sums = new Map<string, FieldSum>();
  const sumOf = (field: SummedField): FieldSum | undefined => {
    const known = sums.get(field.name);
    if (known || sums.size >= mostFields) return known;
    const sum = new FieldSum(field, isStop);
    sums.set(field.name, sum);
    return sum;
  };
  for (const field of fields) for (const one of seen(field)) sumOf(one);
  const count = { read: 0, sealed: 0, unreadable: 0 };
  return {
    add({ id, stored }: ExportRow, document: ArchiveDocument | undefined): void {
      if (!document) {
        count[stored.some(({ path }) => path.endsWith('.age')) ? 'sealed' : 'unreadable'] += 1;
        return;
      }
      count.read += 1;
      for (const { name, label, values } of document.fields) {
        if (isRemark(name)) continue;
        const field = fields.find((one) => one.name === name) ?? { name, label, type: '' };
        if (!field.parts) sumOf(field)?.add(id, values);
        else if (field.type === 'grid') sumOf(field)?.addGrid(structureIn(values[0] ?? ''));
        else
          for (const part of seen(field))
            sumOf(part)?.add(id, partIn(structureIn(values[0] ?? ''), part.name.slice(name.length + 1)));
      }
      const files = new Map<string, number>();
      for (const { field } of document.files) files.set(field, (files.get(field) ?? 0) + 1);
      for (const [name, number] of files)
        sumOf(fields.find((one) => one.name === name) ?? { name, label: name, type: 'file' })?.addFiles(
          number,
        );
    },
    now: (isDone: boolean): Summary => ({
      ...{ of, ...count, isDone },
      fields: [...sums.values()].filter(({ answered }) => answered > 0).map((sum) => sum.now(count.read)),
    }),
  };
}

/** A grid gets a table of its own; the streets of addresses are not worth summing up. */
const seen = (field: SummedField): readonly SummedField[] => {
  const { name, label, type, parts } = field;
  if (!parts || type === 'grid') return [field];
  return parts
    .filter((part) => type !== 'address' || ['country', 'city', 'region'].includes(part.name))
    .map((part) => ({
      ...part,
      name: `${name}.${part.name}`,
      label: label.endsWith('?') ? `${label} ${part.label}` : `${label}: ${part.label}`,
      ...(type === 'address' && { type: 'select' }),
    }));
};

/** A part's values, from each item of a list. */
const partIn = (structure: object | undefined, name: string): readonly string[] =>
  [structure ?? []]
    .flat()
    .flatMap((item) => [(item as Record<string, unknown>)[name] ?? []].flat().map(String));

type Kind = Answers['kind'];

const kindOf = ({ type, options }: SummedField): Kind | undefined => {
  if (type === 'grid') return 'grid';
  if (options || ['select', 'checkbox', 'hidden', 'time', 'consent'].includes(type)) return 'choice';
  if (['number', 'range', 'computed'].includes(type)) return 'number';
  if (['date', 'datetime', 'month'].includes(type)) return 'date';
  if (['file', 'signature', 'picture'].includes(type)) return 'files';
  return type === '' ? undefined : 'text';
};

class FieldSum {
  answered = 0;
  #files = 0;
  readonly #values = new Map<string, number>();
  readonly #words = new Map<string, number>();
  readonly #newest: { readonly id: string; readonly value: string }[] = [];
  readonly #grid = new Map<string, Map<string, number>>();
  readonly #kind: Kind | undefined;

  constructor(
    private readonly field: SummedField,
    private readonly isStop: (word: string) => boolean,
  ) {
    this.#kind = kindOf(field);
  }

  add(id: string, given: readonly string[]): void {
    const values = given.filter((value) => value !== '');
    if (values.length === 0) return;
    this.answered += 1;
    if (this.#kind !== 'text')
      for (const value of new Set(values))
        bump(this.#values, this.#kind === 'date' ? value.slice(0, 10) : value.slice(0, mostShown));
    if (this.#kind !== undefined && this.#kind !== 'text') return;
    const value = values.join(', ');
    // Submissions arrive newest first.
    if (this.#newest.length < mostNewest) this.#newest.push({ id, value: value.slice(0, mostShown) });
    for (const word of new Set(this.#wordsOf(value.slice(0, mostRead)))) bump(this.#words, word);
  }

  addGrid(structure: object | undefined): void {
    if (!structure) return;
    this.answered += 1;
    for (const [row, chosen] of Object.entries(structure)) {
      if (this.#grid.size >= mostFields && !this.#grid.has(row)) continue;
      const counts = this.#grid.get(row) ?? new Map();
      this.#grid.set(row, counts);
      for (const one of [chosen].flat()) bump(counts, String(one));
    }
  }

  addFiles(count: number): void {
    this.answered += 1;
    this.#files += count;
  }

  #wordsOf(text: string): readonly string[] {
    // Counts mail addresses by domain.
    if (this.field.type === 'email')
      return [...text.matchAll(/@([^\s,>]+)/g)].map(([, domain = '']) => domain.toLowerCase());
    if (['tel', 'url'].includes(this.field.type)) return [];
    const words = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)
      ? [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) =>
          isWordLike && segment.length > 1 ? [segment] : [],
        )
      : (text.match(/\p{L}[\p{L}\p{M}\p{N}'’-]+/gu) ?? []);
    return words
      .map((word) => word.toLowerCase().replaceAll('’', "'"))
      .filter((word) => word.length > 2 - Number(/[^\x00-\u024f]/.test(word)) && !this.isStop(word));
  }

  /** @param read Submissions so far; words that occur in most of them say nothing. */
  now(read: number): Answers {
    const { name, label } = this.field;
    return { name, label, answered: this.answered, ...this.#summed(this.#kind ?? this.#guess(), read) };
  }

  /** Guesses the kind of a field that is not in the config. */
  #guess(): Kind {
    if (this.#files > 0) return 'files';
    const distinct = this.#values.size;
    if (distinct <= 12 && distinct * 2 <= this.answered) return 'choice';
    return [...this.#values.keys()].every(isNumber) ? 'number' : 'text';
  }

  #summed(kind: Kind, read: number) {
    switch (kind) {
      case 'files':
        return { kind, files: this.#files };
      case 'grid':
        return this.#table();
      case 'number':
        return { kind, ...quartiles(this.#values) };
      case 'date':
        return { kind, bars: datesIn(this.#values) };
      case 'text':
        return {
          kind,
          newest: this.#newest,
          words: top(this.#words, mostWords).filter(({ count }) => count > 1 || read < 10),
        };
      case 'choice':
        return this.#choices();
    }
  }

  #choices() {
    const { options = [], type } = this.field;
    const labels = new Map(options);
    const chosen = [...this.#values].filter(([value]) => !labels.has(value));
    // For a long list, such as all countries, omits options that nobody chose.
    const offered = options.map(([value, label]) => ({ label, count: this.#values.get(value) ?? 0 }));
    const own = offered.length > mostBars / 2 ? byCount(offered.filter(({ count }) => count > 0)) : offered;
    const bars = [...own, ...byCount(chosen.map(([label, count]) => ({ label, count })))];
    const others = bars.slice(mostBars).reduce((sum, { count }) => sum + count, 0);
    const isScale = type === 'rating' || type === 'scale';
    const mean = isScale ? quartiles(this.#values).marks.mean : undefined;
    return { kind: 'choice' as const, bars: bars.slice(0, mostBars), others, mean };
  }

  #table() {
    const { parts = [] } = this.field;
    const options = new Map(parts.flatMap(({ options = [] }) => options));
    for (const counts of this.#grid.values())
      for (const value of counts.keys()) if (!options.has(value)) options.set(value, value);
    const labels = new Map(parts.map(({ name, label }) => [name, label]));
    const names = new Set([...labels.keys(), ...this.#grid.keys()]);
    return {
      kind: 'grid' as const,
      columns: [...options.values()],
      rows: [...names].map((name) => ({
        label: labels.get(name) ?? name,
        counts: [...options.keys()].map((value) => this.#grid.get(name)?.get(value) ?? 0),
      })),
    };
  }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Counts a name. When the map is full, rare names are dropped. */
function bump(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
  if (counts.size > mostDistinct)
    for (const [one, count] of counts) if (count === 1 && one !== name) counts.delete(one);
}

const byCount = (bars: readonly Bar[]) => bars.toSorted((a, b) => b.count - a.count);

const top = (counts: ReadonlyMap<string, number>, most: number): readonly Bar[] =>
  byCount([...counts].map(([label, count]) => ({ label, count }))).slice(0, most);

function stopsOf(language: string): (word: string) => boolean {
  const lists = stopWords as Readonly<Record<string, string>>;
  const stops = new Set([language.slice(0, 2), 'en'].flatMap((one) => (lists[one] ?? '').split(' ')));
  return (word) => stops.has(word);
}
