/** Locates diagnostics in a text whose secrets are masked. Loaded only if there is something to report. */
import type { Diagnostic } from '@form-relay/schema/diagnostics';
import { isSecret } from '@form-relay/schema/diagnostics';
import { mask, maskLine } from './mask.ts';
import type { Location } from './places.ts';
import { excerpt, formatPath, type Problem, type Spot, spotFinder, type TextEdit } from './problem.ts';

/** The number of problems shown. All problems of a thoroughly broken config would take too much time and flood the log. */
const mostShown = 200;

/**
 * The problems in the order of the text. After 200, a final one counts the rest.
 *
 * @param text The text without its secrets (mask.ts).
 */
export function locate(
  text: string,
  file: string,
  severity: Problem['severity'],
  diagnostics: readonly Diagnostic[],
  placeOf: (diagnostic: Diagnostic) => Location,
): readonly Problem[] {
  const spotOf = spotFinder(text);
  const all = diagnostics
    .map((diagnostic) => ({ diagnostic, place: placeOf(diagnostic) }))
    .sort((a, b) => a.place.offset - b.place.offset);
  const [next, ...others] = all.slice(mostShown);
  if (next && others.length > 0) {
    const message = `${others.length + 1} more problems from here on`;
    const rest = { ...next.diagnostic, message, code: 'more_problems', suggestion: undefined };
    all.splice(mostShown, Infinity, { ...next, diagnostic: rest });
  }
  /** Masked lines by their start, because all problems may be on one long line. */
  const maskedLines = new Map<number, string>();
  return all.map(({ diagnostic, place }) => {
    const spot = spotOf(place.offset);
    const line = maskedLines.get(spot.start) ?? maskLine(spot.line);
    maskedLines.set(spot.start, line);
    const meant = isSecret(diagnostic.path) ? undefined : editFor(text, diagnostic, place, spotOf);
    return {
      severity,
      file,
      line: spot.lineNumber,
      column: spot.column + 1,
      path: shorten(formatPath(diagnostic.path)),
      code: diagnostic.code ?? 'invalid',
      message: shorten(diagnostic.message),
      excerpt: excerpt({ ...spot, line: withoutSecret({ ...spot, line }, diagnostic, place) }, place.length),
      ...(diagnostic.mayPass && { mayPass: true }),
      ...(diagnostic.fix && { fix: diagnostic.fix }),
      ...(meant && { meant }),
    };
  });
}

/** Paths and messages contain names, and a name of 1 MB in each of 200 problems would flood the log. */
const shorten = (text: string) => (text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text);

function withoutSecret(
  { line, column, start }: Spot,
  { path, aboutKey }: Diagnostic,
  { length, isKey, offset, valueOffset = offset }: Location,
): string {
  // The text after a misspelled key may be a secret: `pasword: hunter2`.
  if (aboutKey || (isKey && isSecret(path))) return line.slice(0, column + length);
  if (!isSecret(path)) return line;
  const from = Math.max(0, valueOffset - start);
  return line.slice(0, from) + mask(line.slice(from));
}

/**
 * The suggestion as a change of the text, which editors offer as a fix. Replaces the marked text, or a word
 * in the braces of a template. `undefined` if that would not work, for example in escaped text.
 */
function editFor(
  text: string,
  { path, suggestion, word: found }: Diagnostic,
  { offset, length }: Location,
  spotOf: (offset: number) => Spot,
): TextEdit | undefined {
  const word = found ?? path.at(-1);
  if (suggestion === undefined || typeof word !== 'string' || word === '' || /["'\n]/.test(suggestion))
    return undefined;
  const marked = text.slice(offset, offset + length);
  const at = word.trim() === marked.trim() ? marked.indexOf(word.trim()) : inBraces(marked, word);
  if (at < 0) return undefined;
  const from = offset + at;
  // The relay reads `fields.email` as a function `fields`, but its author means a path.
  const isPath = suggestion.startsWith('.');
  const rest = isPath ? (/^(?:\.[\w-]+)*/.exec(text.slice(from + word.length))?.[0] ?? '') : '';
  const { lineNumber, column } = spotOf(from);
  return { text: suggestion, line: lineNumber, column: column + 1, length: word.trim().length + rest.length };
}

function inBraces(marked: string, word: string): number {
  const around = word.startsWith('.') ? /[\w.-]/ : /[\w-]/;
  for (const braces of marked.matchAll(/\{\{.*?\}\}/gs)) {
    for (let at = braces[0].indexOf(word); at >= 0; at = braces[0].indexOf(word, at + 1)) {
      const [before = '', after = ''] = [braces[0][at - 1], braces[0][at + word.length]];
      const isRead = word.startsWith('.') || before === '.' || before === '"';
      if (isRead && !around.test(after) && !(word.startsWith('.') && around.test(before)))
        return braces.index + at;
    }
  }
  return -1;
}
