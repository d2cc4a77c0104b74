/** A regular expression as browsers parse it (with the `v` flag). */
export type Node =
  /** Reads one character: a literal, an escape, a class or a dot. */
  | { readonly kind: 'character'; readonly source: string }
  | Look
  /** A back reference, a class of strings of several lengths, such as `\p{RGI_Emoji}`, or newer syntax. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number };

/** Lookaround, to which anchors and word boundaries come down. */
export interface Look {
  readonly kind: 'look';
  readonly part: Node;
  readonly isBehind: boolean;
  readonly isNegated: boolean;
}

const escaped =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|u.{4}|x..|c.|k<[^>]*>|[1-9]\d*|.)/su;
const group = /\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?/u;
const quantifier = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/u;
const tokens = new RegExp([escaped, group, quantifier, /./su].map(({ source }) => source).join('|'), 'gsu');

const textsOfSeveralLengths = /\\q\{|\\p\{(?:Basic_Emoji|Emoji_Keycap_Sequence|RGI_)/;

/** The parts of a group by alternative; the last alternative is being read. */
interface Open {
  readonly opening: string;
  readonly choices: Node[][];
}

/** More than anybody writes; limits the recursion of functions that walk the tree. */
const deepest = 200;

/** Parses an expression that `RegExp` accepts; an unsupported part becomes `unknown`. */
export function parse(source: string): Node {
  const open: Open[] = [{ opening: '(', choices: [[]] }];
  let classDepth = 0;
  let classStart = 0;
  for (const { 0: token, index } of source.matchAll(tokens)) {
    const current = open.at(-1)?.choices.at(-1) ?? [];
    if (token === '[' && classDepth++ === 0) classStart = index;
    if (token === ']' && --classDepth === 0) current.push(character(source.slice(classStart, index + 1)));
    if (classDepth > 0 || token === ']') continue;
    if (token === '|') open.at(-1)?.choices.push([]);
    else if (token === ')') open.at(-2)?.choices.at(-1)?.push(closed(open.pop()));
    else if (token.startsWith('(')) open.push({ opening: token, choices: [[]] });
    else if (/^[*+?{]/.test(token)) current.push(repeated(current.pop(), token));
    else current.push(assertions[token] ?? (/^\\[k1-9]/.test(token) ? unknown : character(token)));
    if (open.length > deepest) return unknown;
  }
  return closed(open[0]);
}

const unknown: Node = { kind: 'unknown' };

const character = (source: string): Node =>
  textsOfSeveralLengths.test(source) ? unknown : { kind: 'character', source };

const choice = (...parts: readonly Node[]): Node => ({ kind: 'choice', parts });
export const sequence = (...parts: readonly Node[]): Node => ({ kind: 'sequence', parts });

const look = (part: Node, isBehind: boolean, isNegated: boolean): Node => ({
  kind: 'look',
  part,
  isBehind,
  isNegated,
});

const anything = character('[\\s\\S]');
export const anyText: Node = { kind: 'repeat', part: anything, least: 0, most: Infinity };
/** Read at the end of a value, where no class of an expression matches. */
export const endOfText = character('');

const word = character('\\w');
const [afterWord, notAfterWord] = [look(word, true, false), look(word, true, true)];
const [beforeWord, notBeforeWord] = [look(word, false, false), look(word, false, true)];

const assertions: Readonly<Record<string, Node>> = {
  '^': look(anything, true, true),
  $: look(anything, false, true),
  '\\b': choice(sequence(afterWord, notBeforeWord), sequence(notAfterWord, beforeWord)),
  '\\B': choice(sequence(afterWord, beforeWord), sequence(notAfterWord, notBeforeWord)),
};

function closed({ opening, choices }: Open = { opening: '', choices: [] }): Node {
  const parts = choices.map((parts) => sequence(...parts));
  const [only] = parts;
  const part = parts.length === 1 && only ? only : choice(...parts);
  const [, behind, sign] = /^\(\?(<?)([=!])/.exec(opening) ?? [];
  if (sign) return look(part, behind === '<', sign === '!');
  return opening === '(' || opening === '(?:' || opening.startsWith('(?<') ? part : unknown;
}

function repeated(part: Node = unknown, token: string): Node {
  const [, counted, comma, last] = /^\{(\d+)(,?)(\d*)/.exec(token) ?? [];
  if (counted !== undefined) {
    const least = Number(counted);
    return { kind: 'repeat', part, least, most: last ? Number(last) : comma ? Infinity : least };
  }
  return {
    kind: 'repeat',
    part,
    least: token.startsWith('+') ? 1 : 0,
    most: token.startsWith('?') ? 1 : Infinity,
  };
}

/** Matches the same texts, read from their ends. */
export function reversed(node: Node): Node {
  if (node.kind === 'choice') return choice(...node.parts.map(reversed));
  if (node.kind === 'sequence') return sequence(...node.parts.map(reversed).toReversed());
  if (node.kind === 'look') return look(reversed(node.part), !node.isBehind, node.isNegated);
  return node.kind === 'repeat' ? { ...node, part: reversed(node.part) } : node;
}
