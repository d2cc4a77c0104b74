import { type Finding, finding } from '../base/config_finding.ts';
import { say } from '../base/finding_words.ts';
import type { Path } from '../base/place.ts';
import type { Result } from '../base/result.ts';
import { letter, number } from '../base/unicode.ts';
import { excerpt, type Spot, spotFinder } from './excerpt.ts';
import { isSecret, mask, maskLine } from './mask.ts';
import type { Document } from './yaml/document.ts';
import type { Misread } from './yaml/misread.ts';
import type { Location } from './yaml/places.ts';

/** Something about a place in a file: an error keeps a config from loading, a warning is for its owner to know. */
export interface Problem {
  /** Names what is wrong, whatever the words: a config's are `FindingCode`s. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** 1-based, as editors count. */
  readonly line: number;
  readonly column: number;
  /** Such as `forms.contact.outputs[0].on_error`; empty when the problem is the file's. */
  readonly path: string;
  /** What was found, and what to write instead. Never quotes a secret. */
  readonly message: string;
  /** The line with a caret under the mistake; values of secret keys are masked. */
  readonly excerpt: string;
}

/** All problems of a config that is broken everywhere would take too much time, and too much of the log. */
const mostShown = 200;

/** Gives each finding its place. They come out in the order of the text; beyond 200, as one that counts them. */
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
    const line = maskedLines.get(spot.start) ?? maskLine(text, spot.start, spot.line);
    maskedLines.set(spot.start, line);
    return problemAt(file, finding, { ...spot, line }, place);
  });
}

/** The same, in a text that was read as YAML, or could not be. */
export const locateIn = (
  yaml: string,
  file: string,
  document: Result<Document, Misread>,
  findings: readonly Finding[],
): Problem[] =>
  locate(yaml, file, findings, (one) => (document.ok ? document.value.places.of(one) : document.error.place));

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

/** `file:line:column: path: message`, as editors and terminals link it. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, message, severity } = problem;
  const kind = severity === 'warning' ? 'warning: ' : '';
  return `${file}:${line}:${column}: ${kind}${path === '' ? '' : `${path}: `}${message}`;
}

export function formatPath(path: Path): string {
  const plain = new RegExp(`^[${letter}${number}_-]+$`, 'u');
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!plain.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}

function withoutSecret(
  { line, column, start }: Spot,
  { path, aboutKey }: Finding,
  { length, isKey, offset, valueOffset = offset }: Location,
): string {
  // What follows a mistyped key may be a secret: `pasword: hunter2`.
  if (aboutKey || (isKey && isSecret(path))) return line.slice(0, column + length);
  if (!isSecret(path)) return line;
  const from = Math.max(0, valueOffset - start);
  return line.slice(0, from) + mask(line.slice(from));
}
