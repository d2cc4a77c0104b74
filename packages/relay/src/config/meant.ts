/** The word that a finding suggests, as a change of the text: editors offer it as a fix. */
import type { Finding } from '../schema/finding.ts';
import type { Location } from './yaml/places.ts';

/** A stretch of the file, and what was probably meant to stand there. */
export interface Meant {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** In UTF-16 units. */
  readonly length: number;
}

/** Their `near` is no change of one word. */
const toldOnly: ReadonlySet<string> = new Set(['key_elsewhere', 'template_dot_after_function']);

/**
 * Where in `text` stands the word that was found instead of `near`: the marked stretch itself, or a word in the braces of a
 * template. `undefined` where another word in its place would not do, such as in an escaped text.
 */
export function placeMeant(
  text: string,
  { code, path, params, aboutKey }: Finding,
  { offset, length }: Location,
): { readonly near: string; readonly from: number; readonly to: number } | undefined {
  const { near, ...others } = params as Readonly<Record<string, unknown>>;
  if (typeof near !== 'string' || /["'\n]/.test(near) || toldOnly.has(code)) return undefined;
  const marked = text.slice(offset, offset + length);
  const { found, name, word, type, tag, path: read } = others;
  const words = aboutKey ? [path.at(-1)] : [found, name, word, type, tag, read];
  for (const one of words) {
    if (typeof one !== 'string' || one === '') continue;
    const at = one.trim() === marked.trim() ? marked.indexOf(one.trim()) : inBraces(marked, code, one);
    if (at < 0) continue;
    const from = offset + at;
    // `fields.email` is a function `fields` to the relay, and a path to its author.
    const rest = near.startsWith('.')
      ? (/^(?:\.[\w-]+)*/.exec(text.slice(from + one.length))?.[0] ?? '')
      : '';
    return { near, from, to: from + one.trim().length + rest.length };
  }
  return undefined;
}

function inBraces(marked: string, code: string, word: string): number {
  if (!code.startsWith('template_')) return -1;
  const around = word.startsWith('.') ? /[\w.-]/ : /[\w-]/;
  for (const braces of marked.matchAll(/\{\{.*?\}\}/gs)) {
    for (let at = braces[0].indexOf(word); at >= 0; at = braces[0].indexOf(word, at + 1)) {
      const [before = '', after = ''] = [braces[0][at - 1], braces[0][at + word.length]];
      const isRead = word.startsWith('.') || before === '.' || before === '"';
      if (isRead && !around.test(after) && !(word.startsWith('.') && around.test(before))) {
        return braces.index + at;
      }
    }
  }
  return -1;
}
