import { colour } from '@form-relay/base/terminal';
import type { Fix, Path } from '@form-relay/schema/diagnostics';

/** A diagnostic with its place in a file. A config with an error does not load; one with a warning does. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Identifies the mistake for programs. */
  readonly code: string;
  readonly file: string;
  /** 1-based, as in editors. */
  readonly line: number;
  readonly column: number;
  /** For example `forms.contact.outputs[0].on_error`; empty if the problem is about the whole file. */
  readonly path: string;
  /** The mistake and its fix. Never quotes a secret. */
  readonly message: string;
  /** The line, with secrets masked and a caret under the mistake. */
  readonly excerpt: string;
  /** The problem may disappear without a change of the text, for example if a font is installed later. */
  readonly mayPass?: boolean | undefined;
  readonly fix?: Fix | undefined;
  /** The message's "did you mean", as a change of the file. */
  readonly meant?: TextEdit;
}

/** A part of the file, and its suggested replacement. */
export interface TextEdit {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** In UTF-16 units. */
  readonly length: number;
}

/** `file:line:column: path: message`, which editors and terminals turn into a link. */
export function formatProblem({ file, line, column, path, message, severity }: Problem): string {
  const kind = severity === 'warning' ? 'warning: ' : '';
  return `${file}:${line}:${column}: ${kind}${path === '' ? '' : `${path}: `}${message}`;
}

export function formatPath(path: Path): string {
  const plain = /^[\p{L}\p{N}_-]+$/u;
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!plain.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}

export interface Spot {
  /** 1-based, as in editors. */
  readonly lineNumber: number;
  /** The offset at which the line starts. */
  readonly start: number;
  /** The line without its line break. */
  readonly line: string;
  /** 0-based, in UTF-16 units. */
  readonly column: number;
}

export function spotFinder(text: string): (offset: number) => Spot {
  // Editors do not show a byte order mark.
  const starts = [text.startsWith('\ufeff') ? 1 : 0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    const start = starts[low] ?? 0;
    let end = (starts[high] ?? text.length + 1) - 1;
    if (end < text.length && text[end - 1] === '\r') end -= 1;
    const line = text.slice(start, Math.max(start, end));
    return { lineNumber: high, start, line, column: Math.max(0, offset - start) };
  };
}

/** Characters that could move a terminal's cursor or reverse its text. */
const unprintable = String.raw`[\p{Cc}\p{Cf}\u2028\u2029]`;

/** Makes foreign text safe for terminals. Keeps its length, so that columns stay right. */
export const printable = (text: string) =>
  text.replaceAll(new RegExp(unprintable, 'gu'), (match) => ' '.repeat(match.length));

/** The line, or a part of a long one, with a caret under each of `length` UTF-16 units. */
export function excerpt({ line, lineNumber, column }: Spot, length: number): string {
  const from = line.length > 160 ? Math.max(0, column - 80) : 0;
  const shown = printable(line.slice(from, from + 160));
  const window = (from > 0 ? '…' : '') + shown + (line.length > from + 160 ? '…' : '');
  const caretColumn = from > 0 ? column - from + 1 : column;
  const caret = '^'.repeat(Math.max(1, Math.min(length, window.length - caretColumn)));
  return `${String(lineNumber).padStart(5)} | ${window}\n${' '.repeat(5)} | ${' '.repeat(caretColumn)}${caret}`;
}

/** Formats each problem with its line and a caret; in colour if `stream` is a terminal. */
export const showProblems = (problems: readonly Problem[], stream?: NodeJS.WriteStream): string =>
  problems.map((problem) => showProblem(problem, stream)).join('\n\n');

function showProblem(problem: Problem, stream: NodeJS.WriteStream | undefined): string {
  const { file, message, severity, excerpt } = problem;
  // The problem is about the whole file, which cannot be read.
  if (excerpt === '' && problem.line === 1 && problem.column === 1) return `${file}: ${message}`;
  const line = formatProblem(problem);
  if (excerpt === '') return line;
  if (!stream) return `${line}\n${excerpt}`;
  const hue = severity === 'error' ? 'red' : 'yellow';
  const [, place = '', rest = ''] = /^(.*?:\d+:\d+:(?: warning:)?)(.*)$/s.exec(line) ?? [];
  const marked = excerpt.replace(/\^+$/, (caret) => colour(hue, caret, stream));
  return `${colour(hue, place, stream)}${rest}\n${marked}`;
}
