import type { Place } from '@form-relay/schema/diagnostics';
import type { DefaultTreeAdapterTypes } from 'parse5';

/** An element as the page's author wrote it. */
export interface PageElement {
  readonly tag: string;
  /** Keyed by lower-case name. An attribute without a value has an empty one. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: PageElement | undefined;
  /**
   * The number of the element in the tree, and the number of the last element inside it: all elements inside
   * have numbers between.
   */
  readonly first: number;
  readonly last: number;
  /** The form that it belongs to: the one in its `form` attribute, or else the one around it. */
  readonly form: PageElement | undefined;
  /** Whether it or a fieldset around it is disabled, so that browsers do not send it. */
  readonly isDisabled: boolean;
  /** The text directly inside, for an option, a textarea or a script. */
  readonly text: string;
  /** The elements and texts directly inside. */
  readonly children: readonly (PageElement | string)[];
  /** The text that people see, on one line: without controls and hidden elements. */
  readonly words: () => string;
  /** The same text with links as the config writes them: `[words](https://…)`. `to` returns a link's URL, if there is one. */
  readonly linkedWords: (to: (href: string) => string | undefined) => string;
  /** The start tag, up to the attributes. */
  readonly place: Place;
  /** The places of its attributes. */
  readonly places: ReadonlyMap<string, Place>;
}

export interface Page {
  /** In the order of the text, including the contents of `noscript` and `template`. */
  readonly elements: readonly PageElement[];
  /** Each form with the elements that belong to it. */
  readonly forms: ReadonlyMap<PageElement, readonly PageElement[]>;
  /** The first element with each id. */
  readonly ids: ReadonlyMap<string, PageElement>;
  /** The page's base address, if it declares one. */
  readonly base: string | undefined;
  /** Whether it is a complete document, not part of one. */
  readonly isWhole: boolean;
  /**
   * Whether htmx may run: not if the page is a complete document without scripts outside of forms (scripts in
   * forms are the relay's).
   */
  readonly mayHaveHtmx: boolean;
}

/** Reads a page as browsers do, even with invalid markup. Loads the parser only when needed. */
export async function readPage(text: string): Promise<Page> {
  const document = parsed(await import('parse5'), text);
  const elements = elementsOf(document).toSorted(byPlace);
  const ids = new Map(elements.toReversed().map((element) => [element.attributes.get('id') ?? '', element]));
  giveForms(elements, ids, text);
  const forms = new Map<PageElement, PageElement[]>();
  for (const element of elements) if (element.tag === 'form') forms.set(element, []);
  for (const element of elements) if (element.form) forms.get(element.form)?.push(element);
  const base = elements.find(({ tag, attributes }) => tag === 'base' && attributes.has('href'));
  const isWhole = elements.some(({ tag }) => tag === 'html' || tag === 'body');
  return {
    elements,
    forms,
    ids,
    base: base?.attributes.get('href'),
    isWhole,
    mayHaveHtmx: !isWhole || elements.some(({ tag, form }) => tag === 'script' && !form),
  };
}

function parsed({ defaultTreeAdapter, Parser }: typeof import('parse5'), text: string): Node {
  let paragraphs = 0;
  const count = (by: number) => (element: DefaultTreeAdapterTypes.Element) => {
    if (element.tagName === 'p') paragraphs += by;
  };
  const hooks = { onItemPush: count(1), onItemPop: count(-1) };
  const treeAdapter: typeof defaultTreeAdapter = { ...defaultTreeAdapter, ...hooks };
  // Without scripting, the contents of noscript are parsed as markup.
  const parser = new Parser({ sourceCodeLocationInfo: true, scriptingEnabled: false, treeAdapter });
  const { openElements } = parser;
  const search = openElements.hasInButtonScope.bind(openElements);
  // At each block, parse5 looks for an open paragraph in all ancestors, which takes seconds on deeply nested pages.
  openElements.hasInButtonScope = (tag) => paragraphs > 0 && search(tag);
  parser.tokenizer.write(text, true);
  return parser.document;
}

type Node = DefaultTreeAdapterTypes.Node;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The elements in the text, except those that the parser adds. Not recursive, because pages can nest deeper than the stack. */
function elementsOf(document: Node): readonly Mutable<PageElement>[] {
  const found: Mutable<PageElement>[] = [];
  const waiting: [node: Node, parent: PageElement | undefined][] = [[document, undefined]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, parent] = next;
    const element = 'tagName' in node ? elementOf(node, parent, found.length) : undefined;
    const siblings = parent?.children as (PageElement | string)[] | undefined;
    if (element) {
      found.push(element);
      siblings?.push(element);
    } else if (node.nodeName === '#text' && 'value' in node) siblings?.push(node.value);
    const { childNodes = [] } = 'content' in node ? node.content : (node as { childNodes?: Node[] });
    for (const child of childNodes.toReversed()) waiting.push([child, element ?? parent]);
  }
  for (const { parent, last } of found.toReversed())
    if (parent) (parent as Mutable<PageElement>).last = Math.max(parent.last, last);
  return found;
}

function elementOf(
  node: DefaultTreeAdapterTypes.Element,
  parent: PageElement | undefined,
  number: number,
): PageElement | undefined {
  const { tagName: tag, attrs, childNodes, sourceCodeLocation: location } = node;
  if (!location) return undefined;
  const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
  return {
    tag,
    attributes,
    parent,
    first: number,
    last: number,
    form: parent?.tag === 'form' ? parent : parent?.form,
    isDisabled: (canBeDisabled.has(tag) && attributes.has('disabled')) || isIn(parent, tag),
    children: [],
    text: childNodes.map((child) => ('value' in child ? child.value : '')).join(''),
    words: once(() => oneLine(wordsIn(node))),
    linkedWords: (to) => oneLine(wordsIn(node, to)),
    place: { offset: location.startOffset, length: tag.length + 1 },
    places: new Map(
      Object.entries(location.attrs ?? {}).map(([name, { startOffset, endOffset }]) => [
        name,
        { offset: startOffset, length: endOffset - startOffset },
      ]),
    ),
  };
}

/** Inline elements: the text before and after them may form one word. */
export const inline: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup u var wbr'.split(
    ' ',
  ),
);
export const unread: ReadonlySet<string> = new Set(
  'script style template select textarea datalist button noscript'.split(' '),
);

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Larger parts of a page are not labels, and many nested ones would take long. */
const mostNodes = 2_000;

/** Not recursive, for the same reason as `elementsOf`. A label nested in a label belongs to another control. */
function wordsIn(
  element: DefaultTreeAdapterTypes.Element,
  to: (href: string) => string | undefined = () => undefined,
): string {
  let words = '';
  let nodes = 0;
  const waiting: (Node | ' ')[] = element.childNodes.toReversed();
  for (let next = waiting.pop(); next && nodes < mostNodes; next = waiting.pop()) {
    nodes += 1;
    if (next === ' ') words += next;
    else if ('tagName' in next) {
      const { tagName, childNodes } = next;
      const isHidden = next.attrs.some(
        ({ name, value }) => name === 'hidden' || (name === 'aria-hidden' && value === 'true'),
      );
      const isOther = tagName === 'label' && element.tagName === 'label';
      if (unread.has(tagName) || isHidden || isOther) continue;
      const href = tagName === 'a' ? next.attrs.find(({ name }) => name === 'href')?.value : undefined;
      const link = href === undefined ? undefined : linkTo(to(href), wordsIn(next));
      if (link !== undefined) {
        words += link;
        continue;
      }
      const edge = inline.has(tagName) ? [] : ([' '] as const);
      waiting.push(...edge);
      for (const child of childNodes.toReversed()) waiting.push(child);
      waiting.push(...edge);
    } else if (next.nodeName === '#text' && 'value' in next) words += next.value;
  }
  return words;
}

const oneLine = (words: string) => words.replaceAll(/\s+/g, ' ').trim();

/** White space at the ends of a link is moved outside. */
export function linkTo(address: string | undefined, words: string): string | undefined {
  const said = oneLine(words);
  if (address === undefined || said === '' || /[[\]]/.test(said)) return undefined;
  return `${/^\s/.test(words) ? ' ' : ''}[${said}](${address})${/\s$/.test(words) ? ' ' : ''}`;
}

const canBeDisabled = new Set(['fieldset', 'input', 'select', 'textarea', 'button', 'optgroup', 'option']);

/** Whether an ancestor disables it. The legend of a disabled fieldset stays enabled. */
const isIn = (parent: PageElement | undefined, tag: string) =>
  (tag === 'legend' && parent?.tag === 'fieldset' ? parent.parent : parent)?.isDisabled ?? false;

/** HTML's form owner. In a table, a form ends at once in the tree, but in the text it continues until it is closed. */
function giveForms(elements: readonly Mutable<PageElement>[], ids: Page['ids'], text: string): void {
  let open: PageElement | undefined;
  let openUntil = 0;
  const ends = [...text.matchAll(/<\/form(?=[\s/>])/gi)].map(({ index }) => index);
  let end = 0;
  for (const element of elements) {
    const named = element.attributes.get('form');
    if (element.tag === 'form') {
      open = element;
      while ((ends[end] ?? Infinity) < element.place.offset) end += 1;
      openUntil = ends[end] ?? Infinity;
    } else if (named !== undefined) {
      const owner = ids.get(named);
      element.form = owner?.tag === 'form' ? owner : undefined;
    } else if (element.place.offset < openUntil) {
      element.form ??= open;
    }
  }
}

/** An element and its ancestors, innermost first; with `until`, only those inside of it. */
export function* ancestry(element: PageElement, until?: PageElement): Generator<PageElement> {
  for (let at: PageElement | undefined = element; at && at !== until; at = at.parent) yield at;
}

export const byPlace = (a: PageElement, b: PageElement): number => a.place.offset - b.place.offset;

/** Whether an element is the other one, or inside it. */
export const isWithin = ({ first }: PageElement, around: PageElement): boolean =>
  around.first <= first && first <= around.last;

/** Finds the nearest element that passes a test, starting with the element itself. Caches the path, because pages nest deep. */
export function nearest(test: (element: PageElement) => boolean) {
  const known = new Map<PageElement, PageElement | undefined>();
  return (element: PageElement): PageElement | undefined => {
    const way: PageElement[] = [];
    let at: PageElement | undefined = element;
    while (at && !known.has(at) && !test(at)) {
      way.push(at);
      at = at.parent;
    }
    const found = at && (known.has(at) ? known.get(at) : at);
    for (const one of way) known.set(one, found);
    return found;
  };
}

/** The items of `sorted` (in tree order) inside an element. */
export function inside<T>(
  sorted: readonly T[],
  { first, last }: PageElement,
  numberOf: (one: T) => number,
): readonly T[] {
  return sorted.slice(lowest(sorted, first, numberOf), lowest(sorted, last + 1, numberOf));
}

/** The index of the first item with this number or a higher one. */
function lowest<T>(sorted: readonly T[], number: number, numberOf: (one: T) => number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberOf(sorted[middle] as T) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const known = groups.get(keyOf(item));
    if (known) known.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** An attribute as htmx reads it, including the spelling `data-hx-…`. */
export const htmxAttribute = ({ attributes }: PageElement, name: string): string | undefined =>
  attributes.get(name) ?? attributes.get(`data-${name}`);

/** An attribute that htmx inherits: from the element, or from its nearest ancestor that has it. */
export function inherited(element: PageElement, name: string): readonly [PageElement, string] | undefined {
  for (const at of ancestry(element)) {
    const value = htmxAttribute(at, name);
    if (value !== undefined) return [at, value];
  }
  return undefined;
}

/** The place of an attribute in either spelling, or else of its element. */
export const placeOf = ({ place, places }: PageElement, name: string): Place =>
  places.get(name) ?? places.get(`data-${name}`) ?? place;
