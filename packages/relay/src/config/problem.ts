import { letter, number } from '../base/unicode.ts';
import type { Path } from '../schema/finding.ts';

/** A stretch of the file, and what was probably meant to stand there. */
export interface Meant {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** In UTF-16 units. */
  readonly length: number;
}

/** A finding with its place in a file. An error keeps the config from loading; a warning does not. */
export interface Problem {
  /** Identifies the problem; for configs, a `FindingCode`. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** 1-based, as in editors. */
  readonly line: number;
  readonly column: number;
  /** Such as `forms.contact.outputs[0].on_error`; empty if the problem is about the file. */
  readonly path: string;
  /** The mistake and its fix. Never quotes a secret. */
  readonly message: string;
  /** The line, with a caret under the mistake and secrets masked. */
  readonly excerpt: string;
  /** The message's "did you mean", as a change of the file. */
  readonly meant?: Meant;
}

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
