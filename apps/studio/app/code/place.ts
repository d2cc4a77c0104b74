/** Finds the place in a config for a text offset. The text is seldom valid YAML during typing. */
import { isCollection, isMap, isPair, isSeq, type Pair, parseDocument, type Scalar, visit } from 'yaml';
import type { Path } from '../../edit/model.ts';
import { columnOf, isBlockText, lineEnd, lineStart } from '../../edit/read.ts';

export interface Place {
  /**
   * `key`: at a key, or where a key may start; `path` is the map's. `value`: at a value; `path` is its own. `item`:
   * after a dash or in `[…]`, where a value or the first key of a map may start; `path` is the item's. `child`: on an
   * empty line below a key without a value; `path` is that key's. `none`: in a comment.
   */
  readonly at: 'key' | 'value' | 'item' | 'child' | 'none';
  readonly path: Path;
  /** The existing key, if a colon follows. */
  readonly key?: string;
  /** Start of the word at the offset, without quotes: a key or a value. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly quote: '' | '"' | "'";
  /** Whether it is in braces or brackets. */
  readonly isFlow: boolean;
  /** Column of the key. */
  readonly column: number;
}

/** Inserted at the offset before parsing, so that there is always a word. */
const caret = '\ue000';

export function placeAt(text: string, offset: number): Place {
  const [start, end] = [lineStart(text, offset), lineEnd(text, offset)];
  const [before, after] = [text.slice(start, offset), text.slice(offset, end)];
  const word = (from: number, to: number) => ({ from, to, text: text.slice(from, to), column: from - start });
  const nothing: Place = { ...word(offset, offset), at: 'none', path: [], quote: '', isFlow: false };
  // Nothing can start before the first word of a line.
  if (before.trim() === '' && /^\s+\S/.test(after)) return nothing;
  // A value may start directly after a colon.
  const put = before.endsWith(':') && /^(?:[\s,\]}]|$)/.test(after) ? ` ${caret}` : caret;
  const source = text.slice(0, offset) + put + after;
  const at = offset + put.length - 1;
  const found = scalarAt(source, at);
  if (!found) return nothing;
  const { scalar, above } = found;
  const [first, last] = scalar.range;
  const inText = (place: number) =>
    place - (place > at ? put.length : Math.max(0, place - at + put.length - 1));
  const isFlow = above.some((one) => isCollection(one) && one.flow === true);
  const quote = scalar.type === 'QUOTE_DOUBLE' ? '"' : scalar.type === 'QUOTE_SINGLE' ? "'" : '';
  const isClosed = quote !== '' && last - first > 1 && source[last - 1] === quote;
  const stands = isBlockText(scalar)
    ? word(start + (before + after).search(/\S|$/), end)
    : word(inText(first) + quote.length, inText(isClosed ? last - 1 : last));
  const base = { ...stands, quote, isFlow } as const;
  const around = above.at(-1);
  if (!isPair(around)) return { ...base, at: isSeq(around) ? 'item' : 'key', path: pathTo(above, scalar) };
  const { key, srcToken } = around as Pair<Scalar.Parsed> & { srcToken?: { sep?: { type: string }[] } };
  if (key !== scalar) {
    const isBelow = !isFlow && scalar.type === 'PLAIN' && source.slice(key.range[1], first).includes('\n');
    return { ...base, at: isBelow ? 'child' : 'value', path: pathTo(above, scalar) };
  }
  const path = pathTo(above.slice(0, -1), around);
  const name = String(key.value).replace(caret, '');
  if (srcToken?.sep?.some(({ type }) => type === 'map-value-ind'))
    return { ...base, at: 'key', path, key: name };
  const map = above.at(-2);
  const keys = isMap(map) ? map.items.map((one) => one.key as Scalar.Parsed) : [];
  const parent = keys[keys.indexOf(key) - 1];
  const isDeeper = columnOf(source, first) > columnOf(source, keys[0]?.range[0] ?? 0);
  // If indented deeper than its siblings, the word belongs to the key above.
  return !isFlow && parent && isDeeper
    ? { ...base, at: 'child', path: [...path, String(parent.value)] }
    : { ...base, at: 'key', path };
}

type Above = readonly unknown[];

/** The scalar at an offset and its ancestors, from the outermost. */
function scalarAt(source: string, at: number) {
  const document = parseDocument(source, {
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    keepSourceTokens: true,
    logLevel: 'silent',
  });
  let found: { readonly scalar: Scalar.Parsed; readonly above: Above } | undefined;
  visit(document, {
    Scalar: (_, node, above) => {
      const scalar = node as Scalar.Parsed;
      if (scalar.range[0] > at || at >= scalar.range[1]) return undefined;
      found = { scalar, above };
      return visit.BREAK;
    },
  });
  return found;
}

const pathTo = (above: Above, node: unknown): Path =>
  above.flatMap((one, nth): Path => {
    if (isPair(one)) return [String((one.key as Scalar).value)];
    return isSeq(one) ? [one.items.indexOf(above[nth + 1] ?? node)] : [];
  });
