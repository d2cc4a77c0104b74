import type { Control } from '../check/form_controls.ts';
import { ancestry, inline, linkTo, type PageElement, unread } from '../check/markup.ts';
import { isHiding } from './decoy.ts';
import { isError, isHelp } from './hints.ts';
import type { Links } from './links.ts';
import { hasWords } from './names.ts';

/** Words in a form that no attribute ties to a control. */
export interface NearbyText {
  readonly words: string;
  /** With its links. */
  readonly linked: string;
  readonly hrefs: readonly string[];
  /** A label for nothing, if it is one. */
  readonly label: PageElement | undefined;
}

interface Text extends NearbyText {
  readonly kind: 'text';
  readonly line: number;
  /** Shared by all lines that hold it. */
  readonly pieces: readonly { isTaken: boolean }[];
}

interface Place {
  readonly kind: 'control';
  readonly control: Control;
  readonly line: number;
}

type Item = Text | Place;

export interface NearbyTexts {
  /** What stands beside each control that has no label. */
  readonly labels: ReadonlyMap<Control, NearbyText>;
  /** What stands above each group of choices, by its first control. */
  readonly headings: ReadonlyMap<Control, NearbyText>;
  /** What is beside no control. */
  readonly rest: readonly string[];
}

/**
 * `tied`: the elements that name a control by an attribute, or by standing around it.
 *
 * Gives the texts of a form to the controls that they stand beside, as people read a page: before a field, behind a box,
 * else in the line above. First inside what a control has for itself, then among its neighbours.
 */
export function nearbyTexts(
  form: PageElement,
  controls: readonly Control[],
  tied: ReadonlySet<PageElement>,
  isTied: (control: Control) => boolean,
  links: Links,
): NearbyTexts {
  const shown = controls.filter(({ kind }) => kind !== 'hidden' && kind !== 'submit');
  const root = rootOf(form, shown);
  const { items, ranges } = itemsIn(root, shown, tied, links);
  const labels = new Map<Control, NearbyText>();
  const take = (control: Control, found: Text | undefined) => {
    if (!found || labels.has(control)) return;
    for (const piece of found.pieces) piece.isTaken = true;
    labels.set(control, found);
  };
  const open = shown.filter((control) => !isTied(control) && !control.element.attributes.has('aria-label'));
  for (const control of open) take(control, ofItsOwn(control, root, items, ranges));
  const lines = linesOf(items);
  for (const control of open) if (!labels.has(control)) take(control, among(control, lines));
  const headings = new Map<Control, NearbyText>();
  for (const first of firstOfGroups(shown)) {
    const found = above(first, lines);
    if (!found) continue;
    for (const piece of found.pieces) piece.isTaken = true;
    headings.set(first, found);
  }
  return { labels, headings, rest: restOf(lines) };
}

/** In a table, a form can end before its controls: then what is around all of them. */
function rootOf(form: PageElement, shown: readonly Control[]): PageElement {
  const holdsAll = (around: PageElement) =>
    shown.every(({ element }) => [...ancestry(element)].includes(around));
  return [...ancestry(form)].find(holdsAll) ?? form;
}

/** Elements whose texts label nothing, or that have a meaning of their own. */
const apart = new Set('h1 h2 h3 h4 h5 h6 option optgroup svg iframe object title'.split(' '));

/** What people read in their order, in lines. Not recursive, since pages can nest deeper than the stack. */
function itemsIn(root: PageElement, shown: readonly Control[], tied: ReadonlySet<PageElement>, links: Links) {
  const byElement = new Map(shown.map((control) => [control.element, control]));
  const holders = new Set(shown.flatMap(({ element }) => [...ancestry(element)]));
  const items: Item[] = [];
  const ranges = new Map<PageElement, { readonly from: number; to: number }>();
  let line = 0;
  const add = (words: string, more: Partial<NearbyText> = {}) => {
    const text = { words, linked: words, hrefs: [], label: undefined, ...more };
    items.push({ kind: 'text', line, pieces: [{ isTaken: false }], ...text });
  };
  const waiting: (readonly [at: PageElement | string, isInLabel: boolean])[] = [[root, false]];
  const ends = new Set<PageElement>();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [at, isInLabel] = next;
    if (typeof at === 'string') {
      // Text in a label that names a control is its label already.
      if (/\S/.test(at) && !isInLabel) add(at);
      continue;
    }
    const isBlock = !inline.has(at.tag) && !byElement.has(at) && at.tag !== 'input';
    if (ends.has(at)) {
      const range = ranges.get(at);
      if (range) range.to = items.length;
      if (isBlock) line += 1;
      continue;
    }
    if (isBlock) line += 1;
    const control = byElement.get(at);
    if (control) items.push({ kind: 'control', control, line });
    const isLegend = at.tag === 'legend' && at.parent?.tag === 'fieldset';
    const isSkipped =
      isLegend || unread.has(at.tag) || apart.has(at.tag) || tied.has(at) || isInLabel || isUnread(at);
    if (control || (isSkipped && !holders.has(at))) continue;
    if (!holders.has(at) && (at.tag === 'label' || at.tag === 'a')) {
      const words = at.words();
      const href = at.attributes.get('href');
      const link = href === undefined ? undefined : linkTo(links(href), words);
      const isLabel = at.tag === 'label';
      if (words !== '')
        add(` ${words} `, {
          linked: isLabel ? at.linkedWords(links) : ` ${link ?? words} `,
          hrefs: href === undefined ? hrefsIn(at) : [href],
          label: isLabel ? at : undefined,
        });
      continue;
    }
    ranges.set(at, { from: items.length, to: items.length });
    ends.add(at);
    waiting.push([at, isInLabel]);
    for (const child of at.children.toReversed()) waiting.push([child, isInLabel || tied.has(at)]);
  }
  return { items, ranges };
}

/** The addresses of the links in an element. */
export function hrefsIn(element: PageElement): readonly string[] {
  const found: string[] = [];
  const waiting = [element];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const href = next.tag === 'a' ? next.attributes.get('href') : undefined;
    if (href !== undefined) found.push(href);
    waiting.push(...next.children.filter((child) => typeof child !== 'string').toReversed());
  }
  return found;
}

/** Hints, messages and what nobody sees. A label for screen readers is hidden from the eye alone. */
function isUnread(element: PageElement): boolean {
  const { attributes } = element;
  const classes = attributes.get('class') ?? '';
  const isForReaders = /(visually-?hidden|sr-?only|screen-reader)/i.test(classes);
  return (
    attributes.has('hidden') ||
    attributes.get('aria-hidden') === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.get('style') ?? '') ||
    (isHiding(classes) && !isForReaders) ||
    isHelp(element) ||
    isError(element)
  );
}

/** The items of each line, with the texts beside each other as one. What has no letter, such as an asterisk, is no label. */
function linesOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const lines: Item[][] = [];
  let latest: number | undefined;
  for (const item of items) {
    if (item.kind === 'text' && !isFree(item)) continue;
    const line = lines.at(-1);
    const before = line?.at(-1);
    if (!line || item.line !== latest) lines.push([item]);
    else if (item.kind === 'text' && before?.kind === 'text') line[line.length - 1] = joined(before, item);
    else line.push(item);
    latest = item.line;
  }
  return lines
    .map((line) =>
      line.filter((item) => item.kind === 'control' || /[\p{L}\p{N}]/u.test(item.words)).map(tidy),
    )
    .filter((line) => line.length > 0);
}

const joined = (one: Text, other: Text): Text => ({
  ...one,
  words: one.words + other.words,
  linked: one.linked + other.linked,
  hrefs: [...one.hrefs, ...other.hrefs],
  label: one.label ?? other.label,
  pieces: [...one.pieces, ...other.pieces],
});

const tidy = (item: Item): Item =>
  item.kind === 'text' ? { ...item, words: oneLine(item.words), linked: oneLine(item.linked) } : item;

const oneLine = (words: string) =>
  words
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,;:!?)])/g, '')
    .trim();

const isFree = ({ pieces }: Text) => pieces.every(({ isTaken }) => !isTaken);

const isChoice = ({ kind }: Control) => kind === 'checkbox' || kind === 'radio';

/** The text inside of what the control has for itself: the smallest element around it that holds one. */
function ofItsOwn(
  control: Control,
  root: PageElement,
  items: readonly Item[],
  ranges: ReadonlyMap<PageElement, { readonly from: number; readonly to: number }>,
): Text | undefined {
  for (const around of ancestry(control.element, root)) {
    const range = ranges.get(around);
    if (!range) continue;
    const inside = items.slice(range.from, range.to);
    if (inside.filter(({ kind }) => kind === 'control').length > 1) return undefined;
    const lines = linesOf(inside);
    const texts = lines.flat().filter((item) => item.kind === 'text');
    const labels = texts.filter(({ label }) => label !== undefined);
    const [only] = texts.filter(({ words }) => !isUnit.test(words) && !hasWords(control.name));
    const found =
      (isChoice(control) ? labels.at(-1) : labels[0]) ??
      among(control, lines) ??
      (texts.length === 1 ? only : undefined);
    if (found) return found;
  }
  return undefined;
}

/** The text that stands beside a control among others. */
function among(control: Control, lines: readonly (readonly Item[])[]): Text | undefined {
  const isIt = (item: Item | undefined) => item?.kind === 'control' && item.control === control;
  const row = lines.findIndex((line) => line.some(isIt));
  const line = lines[row] ?? [];
  const at = line.findIndex(isIt);
  const [before, behind] = [free(line[at - 1]), free(line[at + 1])];
  const isLedByControls = line[0]?.kind === 'control' && line.at(-1)?.kind === 'text';
  if (isChoice(control))
    return behind ?? before ?? alone(lines[row + 1]) ?? (at === 0 ? titled(lines[row - 1]) : undefined);
  if (isLedByControls && behind && !isUnit.test(behind.words)) return behind;
  return before ?? (at === 0 ? titled(lines[row - 1]) : undefined) ?? (behind?.label ? behind : undefined);
}

/** "EUR", "kg" or "%" behind a field. */
const isUnit = /^([A-Z]{3}|\P{L}*\p{L}{0,2}\P{L}*)$/u;

const free = (item: Item | undefined): Text | undefined =>
  item?.kind === 'text' && isFree(item) ? item : undefined;

/** The only text of a line without controls. */
const alone = (line: readonly Item[] | undefined): Text | undefined =>
  line?.length === 1 ? free(line[0]) : undefined;

/** A line that is no sentence. */
function titled(line: readonly Item[] | undefined): Text | undefined {
  const text = alone(line);
  return text && (text.label || (text.words.length <= 100 && !/[.!。]$/.test(text.words))) ? text : undefined;
}

/** The first control of each choice among several. */
function firstOfGroups(shown: readonly Control[]): readonly Control[] {
  const choices = shown.filter(isChoice);
  return choices.filter(
    (control, index) =>
      choices.findIndex(({ name }) => name === control.name) === index &&
      (control.name.endsWith('[]') || choices.filter(({ name }) => name === control.name).length > 1),
  );
}

/** The text before a group, in its line or the one above. */
function above(first: Control, lines: readonly (readonly Item[])[]): Text | undefined {
  const isIt = (item: Item) => item.kind === 'control' && item.control === first;
  const row = lines.findIndex((line) => line.some(isIt));
  const at = lines[row]?.findIndex(isIt) ?? -1;
  return free(lines[row]?.[at - 1]) ?? (at === 0 ? titled(lines[row - 1]) : undefined);
}

const restOf = (lines: readonly (readonly Item[])[]): readonly string[] =>
  lines.flatMap((line) => line.flatMap((item) => free(item)?.words ?? []));
