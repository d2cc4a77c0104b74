/** How a file is written, so that new lines look like its own. */
import { isCollection, isMap, isScalar, type ParsedNode } from 'yaml';
import { columnOf, isFirstOnLine } from './place.ts';
import { type Item, itemsOf, type Parsed } from './read.ts';

export interface Habits {
  /** How much deeper the keys of a map stand than the key that holds it. */
  readonly step: number;
  /** How much deeper a dash stands than the key of its list. */
  readonly listStep: number;
  /** Padding inside braces: nothing, or a space. */
  readonly pad: string;
  readonly quote: '"' | "'";
  /** Whether a list of single values, a map, or a map in a list below this key stands in braces or brackets. */
  readonly isFlow: (kind: 'list' | 'map' | 'item', key: string | number | undefined) => boolean;
}

const known = new WeakMap<Parsed, Habits>();

export function habitsOf(parsed: Parsed): Habits {
  const habits = known.get(parsed) ?? readHabits(parsed);
  known.set(parsed, habits);
  return habits;
}

function readHabits({ text, root }: Parsed): Habits {
  let [step, listStep, pad]: [number?, number?, string?] = [];
  /** Above 0, more double quotes than single ones. */
  let quotes = 0;
  /** Above 0, there are more in braces or brackets than in block style. */
  const flow = new Map<string, number>();
  const count = (name: string, isFlow: boolean) => flow.set(name, (flow.get(name) ?? 0) + (isFlow ? 1 : -1));
  /** @param key That of the nearest map. */
  const see = (node: ParsedNode | undefined, key: Item['key'] | undefined, holder?: Item): void => {
    if (isScalar(node) && node.type === 'QUOTE_DOUBLE') quotes += 1;
    if (isScalar(node) && node.type === 'QUOTE_SINGLE' && !/["\\]/.test(String(node.value))) quotes -= 1;
    const items = itemsOf(text, node);
    const [first] = items;
    if (!isCollection(node) || !first) return;
    const isFlow = node.flow ?? false;
    if (isFlow && isMap(node)) pad ??= text[node.range[0] + 1] === ' ' ? ' ' : '';
    if (!isFlow && holder?.written && isFirstOnLine(text, first.from)) {
      const deeper = columnOf(text, first.from) - columnOf(text, holder.from);
      if (isMap(node)) step ??= deeper;
      else listStep ??= deeper;
    }
    if (isMap(node)) count(`${holder?.written ? 'map' : 'item'} ${key}`, isFlow);
    else if (items.every((item) => !isCollection(item.node))) {
      count(`list ${key}`, isFlow);
      count('list', isFlow);
    }
    for (const item of items) see(item.node, item.written ? item.key : key, item);
  };
  see(root, undefined);
  step ??= 2;
  return {
    step,
    listStep: listStep ?? step,
    pad: pad ?? '',
    quote: quotes < 0 ? "'" : '"',
    isFlow: (kind, key) => (flow.get(`${kind} ${key}`) ?? flow.get(kind) ?? 0) > 0,
  };
}
