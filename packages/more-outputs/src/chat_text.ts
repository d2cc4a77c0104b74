/** A submission as plain text for chats, cut to fit the service. */
import type { Common, Delivery, Field, OutputForm, Template } from '@form-relay/core/index';
import { labelled } from '@form-relay/core/kit';
import { filledIn } from './filled_in.ts';
import { plain, plainLine } from './words.ts';

interface Titled extends Pick<Common, 'mapping' | 'static'> {
  readonly title?: Template | undefined;
}

/** The title, a line for each field with a value, `static`, and the page, cut to what the service takes. */
export function chatText(output: Titled, form: OutputForm, delivery: Delivery, limits: Limits): ChatText {
  const { title } = output;
  const { templateContext, titlePrefix } = delivery;
  const { page } = templateContext;
  const entries = filledIn(output, form, delivery).map(
    ({ label, values, shape }): Entry => ({
      label: plainLine(label),
      value: plain(inOneText(values, shape)),
      isBlock: shape && true,
    }),
  );
  return fitted(
    {
      title: [
        ...(titlePrefix ? [titlePrefix] : []),
        plainLine(title?.render(templateContext) ?? '') || plainLine(form.title ?? '') || form.id,
      ].join(' '),
      entries: entries.filter(({ value }) => value !== ''),
      footer: page ? [plainLine(page.url)] : [],
    },
    limits,
  );
}

function inOneText(words: readonly string[], shape: Field['shape']): string {
  const isLong = words.length > 1 && words.some((one) => /[,\r\n]/.test(one));
  return shape === 'list' || isLong ? words.map((one) => `- ${one}`).join('\n') : words.join(', ');
}

export interface Entry {
  readonly label: string;
  readonly value: string;
  /** Whether the value stands below. Default: if it has several lines. */
  readonly isBlock?: boolean | undefined;
}

/** The contents of a chat message, as plain text. Each service escapes it. */
export interface ChatText {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly footer: readonly string[];
}

/** The service's limits; where it names none, what people read without tiring. */
export interface Limits {
  readonly title: number;
  readonly label: number;
  readonly value: number;
  readonly entries: number;
  readonly total: number;
  /** The size of an entry beside its texts. Default: 0. */
  readonly perEntry?: number;
  /** The size of a text as the service counts it. Default: UTF-16 units, with what `lineOf` puts before lines. */
  readonly sizeOf?: SizeOf;
}

type SizeOf = (text: string) => number;

export const lineOf = ({ label, value, isBlock }: Entry): string => labelled(label, value, isBlock);

const indents: SizeOf = (text) => 4 * (text.split('\n').length - 1);
const unitsOf: SizeOf = (text) => text.length + indents(text);

/** The size of a text in JSON, in bytes. */
export const jsonBytes: SizeOf = (text) => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Cuts what is too long, and leaves out what is too much, with a note. Of long values, all lose before any is lost. */
export function fitted(text: ChatText, limits: Limits): ChatText {
  const { sizeOf = unitsOf, perEntry = 0 } = limits;
  const below = text.footer.map((line) => cut(line, mostBelow, sizeOf));
  const title = cut(text.title, limits.title, sizeOf);
  const entries = text.entries
    .slice(0, limits.entries)
    .map((entry) => ({ ...entry, label: cut(entry.label, limits.label, sizeOf) }));
  const noteSize = perEntry + sizeOf(leftOut(text.entries.length));
  const room =
    limits.total - sizeOf(title) - below.reduce((sum, line) => sum + perEntry + sizeOf(line), noteSize);
  const needs = entries.map(
    ({ label, value }) => perEntry + sizeOf(label) + Math.min(sizeOf(value), leastKept),
  );
  let needed = needs.reduce((sum, one) => sum + one, 0);
  while (needed > room && entries.pop()) needed -= needs[entries.length] ?? 0;
  const labels = entries.reduce((sum, { label }) => sum + perEntry + sizeOf(label), 0);
  const share = fairShare(
    entries.map(({ value }) => sizeOf(value)),
    room - labels,
  );
  const missing = text.entries.length - entries.length;
  return {
    ...text,
    title,
    entries: entries.map((entry) => ({
      ...entry,
      value: cut(entry.value, Math.min(limits.value, share), sizeOf),
    })),
    footer: missing > 0 ? [leftOut(missing), ...below] : below,
  };
}

const mostBelow = 300;

/** Cut shorter, a value says nothing. */
const leastKept = 40;

const leftOut = (count: number) =>
  count === 1 ? '1 more field is left out' : `${count} more fields are left out`;

function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Read when something is to be cut: to know where characters end, it loads a table. */
let segmenter: Intl.Segmenter | undefined;

/** The text, or its beginning and `…`, cut between two characters. Halving finds the place without measuring each character. */
function cut(text: string, most: number, sizeOf: SizeOf): string {
  if (sizeOf(text) <= most) return text;
  const room = most - sizeOf('…');
  let fits = 0;
  let isTooMuch = text.length;
  while (isTooMuch - fits > 1) {
    const middle = Math.floor((fits + isTooMuch) / 2);
    // Half of a surrogate pair would cost more than all of it.
    if (sizeOf(text.slice(0, middle).replace(/[\ud800-\udbff]$/, '')) <= room) fits = middle;
    else isTooMuch = middle;
  }
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const end = segmenter.segment(text).containing(fits)?.index ?? 0;
  return `${text.slice(0, end).trimEnd()}…`;
}
