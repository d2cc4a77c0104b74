import type { Fix, Path } from '@form-relay/schema/diagnostics';

/** A diagnostic with its place in a file. An error keeps the config from loading; a warning does not. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Names the mistake for programs. */
  readonly code: string;
  readonly file: string;
  /** 1-based, as in editors. */
  readonly line: number;
  readonly column: number;
  /** For example `forms.contact.outputs[0].on_error`; empty if it is about the file. */
  readonly path: string;
  /** The mistake and its fix. Never quotes a secret. */
  readonly message: string;
  /** The line, with a caret under the mistake and secrets masked. */
  readonly excerpt: string;
  /** The subject may change although no text does, such as a font that is installed later. */
  readonly mayPass?: boolean | undefined;
  readonly fix?: Fix | undefined;
  /** The message's "did you mean", as a change of the file. */
  readonly meant?: TextEdit;
}

/** A stretch of the file, and what was probably meant to stand there. */
export interface TextEdit {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  /** In UTF-16 units. */
  readonly length: number;
}

/** `file:line:column: path: message`, as editors and terminals link it. */
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
