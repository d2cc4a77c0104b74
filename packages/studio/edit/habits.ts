/** How a file is written, so that new lines look like its own. */
import { columnOf, isFirstOnLine } from './lines.ts';
import type { Node, Parsed } from './read.ts';

export interface Habits {
  /** How much deeper the keys of a map stand than the key that holds it. */
  readonly step: number;
  /** How much deeper a dash stands than the key of its list. */
  readonly listStep: number;
  /** From a dash to what follows it. */
  readonly dash: number;
  /** Padding inside braces: nothing, or a space. */
  readonly pad: string;
  readonly quote: '"' | "'";
  /** Whether a list of single values below this key stands in brackets. */
  readonly isListFlow: (key: string | number | undefined) => boolean;
  /** Whether a map below this key stands in braces. */
  readonly isMapFlow: (key: string | number | undefined) => boolean;
  /** Whether the maps of a list below this key stand in braces. */
  readonly areItemsFlow: (key: string | number | undefined) => boolean;
}

const known = new WeakMap<Parsed, Habits>();

export function habitsOf(parsed: Parsed): Habits {
  const habits = known.get(parsed) ?? new HabitReader(parsed.text).read(parsed.root);
  known.set(parsed, habits);
  return habits;
}

type What = 'list' | 'map' | 'items';

class HabitReader {
  readonly #text: string;
  step: number | undefined;
  listStep: number | undefined;
  dash: number | undefined;
  pad: string | undefined;
  /** Above 0, there are more in braces or brackets than in block style. */
  readonly #flow = new Map<string, number>();
  /** Above 0, more double quotes than single ones. */
  #quotes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(root: Node | undefined): Habits {
    if (root) this.#node(root, undefined, undefined);
    const { step = 2, listStep = step, dash = 2, pad = '' } = this;
    const isFlow = (what: What, key: string | number | undefined) =>
      (this.#flow.get(`${what} ${key}`) ?? 0) > 0;
    return {
      step,
      listStep,
      dash,
      pad,
      quote: this.#quotes < 0 ? "'" : '"',
      isListFlow: (key) =>
        this.#flow.has(`list ${key}`) ? isFlow('list', key) : (this.#flow.get('lists') ?? 0) > 0,
      isMapFlow: (key) => isFlow('map', key),
      areItemsFlow: (key) => isFlow('items', key),
    };
  }

  #count(name: string, isFlow: boolean): void {
    this.#flow.set(name, (this.#flow.get(name) ?? 0) + (isFlow ? 1 : -1));
  }

  /** @param key That of the nearest map. */
  #node(node: Node, key: string | number | undefined, holder: { column: number } | undefined): void {
    const text = this.#text;
    if (node.style === 'single' && !/["\\]/.test(text.slice(node.from, node.to))) this.#quotes -= 1;
    if (node.style === 'double') this.#quotes += 1;
    if (node.items.length === 0) return;
    const [first] = node.items;
    if (node.isFlow) {
      if (node.kind === 'map') this.pad ??= text[node.from + 1] === ' ' ? ' ' : '';
    } else if (first && holder && isFirstOnLine(text, first.from)) {
      const deeper = columnOf(text, first.from) - holder.column;
      if (node.kind === 'map') this.step ??= deeper;
      else this.listStep ??= deeper;
    }
    if (node.kind === 'list') this.#list(node, key);
    for (const item of node.items) {
      const below = node.kind === 'map' ? item.key : key;
      if (node.kind === 'map' && item.node.kind === 'map' && item.node.items.length > 0)
        this.#count(`map ${item.key}`, item.node.isFlow);
      const isKey = node.kind === 'map' && !node.isFlow;
      this.#node(item.node, below, isKey ? { column: columnOf(text, item.from) } : undefined);
    }
  }

  #list(node: Node, key: string | number | undefined): void {
    if (!node.isFlow) {
      const after = node.items.find((item) => item.node.style !== 'none' && item.node.from > item.after);
      if (after && this.#text.slice(after.after, after.node.from).trim() === '') {
        const width = after.node.from - after.from;
        if (!this.#text.slice(after.from, after.node.from).includes('\n')) this.dash ??= width;
      }
    }
    const maps = node.items.filter((item) => item.node.kind === 'map');
    for (const item of maps) if (item.node.items.length > 0) this.#count(`items ${key}`, item.node.isFlow);
    if (maps.length === 0 && node.items.every((item) => item.node.items.length === 0)) {
      this.#count(`list ${key}`, node.isFlow);
      this.#count('lists', node.isFlow);
    }
  }
}
