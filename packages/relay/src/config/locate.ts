/** Words and places for findings: loaded when there is something to tell. */
import { type Finding, finding } from '../schema/finding.ts';
import { say } from '../schema/finding_words.ts';
import { excerpt, type Spot, spotFinder } from './excerpt.ts';
import { hideSecrets } from './hide_secrets.ts';
import { isSecret, mask, maskLine } from './mask.ts';
import { formatPath, type Meant, type Problem } from './problem.ts';
import type { Document } from './yaml/document.ts';
import { misreadOf } from './yaml/parser_error.ts';
import type { Location, Misread, Refused } from './yaml/places.ts';

/** All problems of a config that is broken everywhere would take too much time, and too much of the log. */
const mostShown = 200;

/**
 * Gives each finding its place in a text whose secrets are hidden. They come out in the order of the text; beyond 200, as one
 * that counts them.
 */
export function locate(
  text: string,
  file: string,
  findings: readonly Finding[],
  placeOf: (finding: Finding) => Location,
): Problem[] {
  const spotOf = spotFinder(text);
  const placed = findings
    .map((finding) => ({ finding, place: placeOf(finding) }))
    .sort((a, b) => a.place.offset - b.place.offset);
  const [next, ...others] = placed.slice(mostShown);
  if (next && others.length > 0) {
    const rest = finding('more_problems', next.finding.path, { count: others.length + 1 });
    const isWarning = [next, ...others].every(({ finding }) => finding.severity === 'warning');
    const severity = isWarning ? 'warning' : undefined;
    placed.splice(mostShown, Infinity, { ...next, finding: { ...next.finding, ...rest, severity } });
  }
  /** Each line is masked once, by where it starts: all problems may stand on one long line. */
  const maskedLines = new Map<number, string>();
  return placed.map(({ finding, place }) => {
    const spot = spotOf(place.offset);
    const line = maskedLines.get(spot.start) ?? maskLine(spot.line);
    maskedLines.set(spot.start, line);
    const problem = problemAt(file, finding, { ...spot, line }, place);
    const meant = isSecret(finding.path) ? undefined : meantAt(text, finding, place, spotOf);
    return meant ? { ...problem, meant } : problem;
  });
}

function meantAt(
  text: string,
  finding: Finding,
  place: Location,
  spotOf: (offset: number) => Spot,
): Meant | undefined {
  const found = placeMeant(text, finding, place);
  if (!found) return undefined;
  const { near, from, to } = found;
  const { lineNumber, column } = spotOf(from);
  return { text: near, line: lineNumber, column: column + 1, length: to - from };
}

/** The same, in a text that was read as YAML. */
export const locateIn = (
  yaml: string,
  file: string,
  document: Document,
  findings: readonly Finding[],
): Problem[] =>
  findings.length === 0
    ? []
    : locate(hideSecrets(yaml, document), file, findings, (one) => document.places.of(one));

function problemAt(file: string, finding: Finding, spot: Spot, place: Location): Problem {
  return {
    severity: finding.severity ?? 'error',
    file,
    line: spot.lineNumber,
    column: spot.column + 1,
    path: shorten(formatPath(finding.path)),
    code: finding.code,
    message: shorten(say(finding, isSecret(finding.path))),
    excerpt: excerpt({ ...spot, line: withoutSecret(spot, finding, place) }, place.length),
  };
}

/** Paths and messages hold names. A name of 1 MB in each of 200 problems would flood the log. */
const shorten = (text: string) => (text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text);

function withoutSecret(
  { line, column, start }: Spot,
  { path, aboutKey }: Finding,
  { length, isKey, offset, valueOffset = offset }: Location,
): string {
  // The text after a misspelled key may be a secret: `pasword: hunter2`.
  if (aboutKey || (isKey && isSecret(path))) return line.slice(0, column + length);
  if (!isSecret(path)) return line;
  const from = Math.max(0, valueOffset - start);
  return line.slice(0, from) + mask(line.slice(from));
}

/** Why a text cannot be read as YAML. Quotes nothing of it: without its structure, nothing tells which parts are secrets. */
export function locateMisread(yaml: string, file: string, why: Misread | Refused): Problem[] {
  const { finding, place } = misreadOf(why);
  const { lineNumber, column } = spotFinder(yaml)(place.offset);
  const at = { file, line: lineNumber, column: column + 1, path: '' };
  return [{ severity: 'error', ...at, code: finding.code, message: say(finding), excerpt: '' }];
}

// The word that a finding suggests, as a change of the text: editors offer it as a fix.

/** Their `near` is no change of one word. */
const toldOnly: ReadonlySet<string> = new Set(['key_elsewhere', 'template_dot_after_function']);

/**
 * Where in `text` stands the word that was found instead of `near`: the marked stretch itself, or a word in the braces of a
 * template. `undefined` where another word in its place would not do, such as in an escaped text.
 */
function placeMeant(
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
