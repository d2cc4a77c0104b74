/** Text for chats: plain, on lines that nobody can forge, and cut to what a service takes. */

export interface Entry {
  readonly label: string;
  readonly value: string;
}

/** What is said in a chat, as plain text: each service is given it so that it stays that. */
export interface ChatText {
  readonly title: string;
  /** Whether visitors have a part in the title. */
  readonly isTitleSubmitted: boolean;
  /** What was filled in, and what the owner adds. */
  readonly entries: readonly Entry[];
  /** Lines below. */
  readonly footer: readonly string[];
}

/** What a service takes. Where it says nothing of one of them, what people read without tiring. */
export interface Limits {
  readonly title: number;
  readonly label: number;
  readonly value: number;
  readonly entries: number;
  /** Of all together. */
  readonly total: number;
  /** What an entry costs beside its texts. Default: 0. */
  readonly perEntry?: number;
  /**
   * What a text costs as the service counts it, which is the sum of what its parts cost. Default: UTF-16 units, and as
   * many more as `lineOf` puts before a line.
   */
  readonly sizeOf?: SizeOf;
}

type SizeOf = (text: string) => number;

/**
 * An entry where there is nothing but text. What has several lines stands below its label and is indented, so that no
 * line of it looks like another field's.
 */
export const lineOf = ({ label, value }: Entry): string =>
  value.includes('\n') ? `${label}:\n${indented(value)}` : `${label}: ${value}`;

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '    ');

const unitsOf: SizeOf = (text) => text.length + 4 * (text.split('\n').length - 1);

/** What a text costs in JSON, in bytes. */
export const jsonBytes: SizeOf = (text) => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Cuts what is too long, and leaves out what is too much, with a note. Of long values, all lose before any is lost. */
export function fitted(text: ChatText, limits: Limits): ChatText {
  const { sizeOf = unitsOf, perEntry = 0 } = limits;
  const below = text.footer.map((line) => cut(line, mostBelow, sizeOf));
  const title = cut(text.title, limits.title, sizeOf);
  const entries = text.entries
    .slice(0, limits.entries)
    .map(({ label, value }) => ({ label: cut(label, limits.label, sizeOf), value }));
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
    entries: entries.map(({ label, value }) => ({
      label,
      value: cut(value, Math.min(limits.value, share), sizeOf),
    })),
    footer: missing > 0 ? [leftOut(missing), ...below] : below,
  };
}

/** Such as an address, which may be very long. */
const mostBelow = 300;

/** A value that is cut shorter says nothing. */
const leastKept = 40;

const leftOut = (count: number) =>
  count === 1 ? '1 more field is left out' : `${count} more fields are left out`;

/** How much each may have, so that all together take no more than there is, and short ones lose nothing. */
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

/**
 * The text, or its beginning and `…`. It ends between two characters as people see them. Where it ends is found by
 * halving: to measure a long text character by character would hold up everybody else.
 */
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
