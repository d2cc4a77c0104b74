import type { Document, Path, Place, Stretch } from './document.ts';
import { isSecret, mask, maskLine } from './mask.ts';

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
  readonly within?: Stretch;
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
        line: maskLine(text, start, line),
        column: place.offset - start,
        length: place.length,
        isKey: place.isKey ?? false,
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
  /** The masked line. */
  readonly line: string;
  /** 0-based. */
  readonly column: number;
  readonly length: number;
  readonly isKey: boolean;
}

function problemAt(file: string, finding: Finding, spot: Spot): Problem {
  return {
    severity: finding.severity ?? 'error',
    file,
    line: spot.lineNumber,
    column: spot.column + 1,
    path: formatPath(finding.path),
    message: isSecret(finding.path) ? withoutQuotes(finding.message) : finding.message,
    excerpt: excerpt(spot, finding),
  };
}

/** What was found, without quoting it: `headers: "Authorization: Bearer hunter2"`. */
const withoutQuotes = (message: string) =>
  message.replace(/^found ".*"(?=;)/s, 'found text').replace(/^unknown function ".*?"/, 'unknown function');

/** The place of a finding in a document that parsed. */
export function placeOf(document: Document, { path, aboutKey, within }: Finding): Place {
  if (aboutKey) return document.locateKey(path);
  return (within && document.locateWithin(path, within)) ?? document.locate(path);
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

function excerpt({ line, lineNumber, column, length, isKey }: Spot, { path, aboutKey }: Finding): string {
  let shown = line.replaceAll(/\p{Cc}/gu, ' ');
  if (aboutKey || (isKey && isSecret(path))) {
    // What follows a mistyped key may be a secret: `pasword: hunter2`.
    shown = shown.slice(0, column + length);
  } else if (isSecret(path)) {
    shown = shown.slice(0, column) + mask(shown.slice(column));
  }
  // Of a long line, what stands around the mistake.
  const from = shown.length > 160 ? Math.max(0, column - 80) : 0;
  const window =
    (from > 0 ? '…' : '') + shown.slice(from, from + 160) + (shown.length > from + 160 ? '…' : '');
  const caretColumn = from > 0 ? column - from + 1 : column;
  const caret = '^'.repeat(Math.max(1, Math.min(length, window.length - caretColumn)));
  return `${String(lineNumber).padStart(5)} | ${window}\n${' '.repeat(5)} | ${' '.repeat(caretColumn)}${caret}`;
}
