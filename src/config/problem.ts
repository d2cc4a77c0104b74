import type { Document, Path, Place } from './document.ts';

/** Something in a config that keeps it from loading (an error), or that its owner should know (a warning). */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** 1-based, as editors count. */
  readonly line: number;
  readonly column: number;
  /** Such as `forms.contact.outputs[0].on_error`; empty when the problem is the file's. */
  readonly path: string;
  /** What was found and what would do. Never quotes a secret. */
  readonly message: string;
  /** The line with a caret under the mistake; values of secret keys are masked. */
  readonly excerpt: string;
}

/** A problem as a check finds it, before it has a place in the text. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly severity?: 'warning';
  /** The problem is the key itself, not its value. */
  readonly aboutKey?: boolean;
  /** Where inside the value, in UTF-16 units: the place of a mistake in a template. */
  readonly within?: Place;
}

/** Gives each finding its place. They come out in the order of the text. */
export function locate(
  text: string,
  file: string,
  findings: readonly Finding[],
  placeOf: (finding: Finding) => Place,
): Problem[] {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return findings
    .map((finding) => ({ finding, place: placeOf(finding) }))
    .sort((a, b) => a.place.offset - b.place.offset)
    .map(({ finding, place }) => {
      const lineNumber = lineOf(lineStarts, place.offset);
      const start = lineStarts[lineNumber - 1] ?? 0;
      const line = text.slice(start, lineStarts[lineNumber]).replace(/\r?\n$/, '');
      return problemAt(file, finding, {
        lineNumber,
        line,
        column: place.offset - start,
        length: place.length,
      });
    });
}

/** The 1-based line that holds `offset`, by bisection. */
function lineOf(lineStarts: readonly number[], offset: number): number {
  let low = 0;
  let high = lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return high;
}

interface Spot {
  readonly lineNumber: number;
  readonly line: string;
  /** 0-based. */
  readonly column: number;
  readonly length: number;
}

function problemAt(file: string, finding: Finding, spot: Spot): Problem {
  return {
    severity: finding.severity ?? 'error',
    file,
    line: spot.lineNumber,
    column: spot.column + 1,
    path: formatPath(finding.path),
    message: finding.message,
    excerpt: excerpt(spot, finding),
  };
}

/** The place of a finding in a document that parsed. */
export function placeOf(text: string, document: Document, { path, aboutKey, within }: Finding): Place {
  if (aboutKey) return document.locateKey(path);
  const place = document.locate(path);
  if (!within) return place;
  const start = place.offset + within.offset;
  const oneLine = !text.slice(place.offset, start + within.length).includes('\n');
  return oneLine && within.offset < place.length ? { offset: start, length: within.length } : place;
}

/** `file:line:column: path: message`, as editors and terminals link it. */
export function formatProblem(problem: Problem): string {
  const { file, line, column, path, message, severity } = problem;
  const kind = severity === 'warning' ? 'warning: ' : '';
  return `${file}:${line}:${column}: ${kind}${path === '' ? '' : `${path}: `}${message}`;
}

export function formatPath(path: Path): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[\p{L}\p{N}_-]+$/u.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}

const secretValue = /\b(password|secret|username)(["']?\s*:\s*)("[^"]*"?|'[^']*'?|[^,}\]\s][^,}\]]*)/g;
const secretKey = /^(password|secret|username|headers)$/;

function excerpt({ line, lineNumber, column, length }: Spot, { path, aboutKey }: Finding): string {
  let shown = line
    .replaceAll('\t', ' ')
    .replaceAll(secretValue, (_, key, colon, value) => key + colon + mask(value));
  if (aboutKey) {
    // What follows a mistyped key may be a secret: `pasword: hunter2`.
    shown = shown.slice(0, column + length);
  } else if (path.some((segment) => secretKey.test(String(segment)))) {
    shown = shown.slice(0, column) + mask(shown.slice(column));
  }
  const caret = '^'.repeat(Math.max(1, Math.min(length, shown.length - column)));
  return `${String(lineNumber).padStart(5)} | ${shown}\n${' '.repeat(5)} | ${' '.repeat(column)}${caret}`;
}

const mask = (value: string) => '•'.repeat(value.length);
