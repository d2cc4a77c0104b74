import type { Path } from '../base/place.ts';
import { letter, number } from '../base/unicode.ts';

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
