import { maxBodyBytes } from '@form-relay/relay/base';
import { type Lines, linesOf } from './config_lines.ts';
import type { LiveConfig } from './live_config.ts';

/** What the page's editor shows. */
export interface EditorState {
  readonly text: string;
  /** Why it cannot be changed here. */
  readonly locked: string | undefined;
  readonly isDraft: boolean;
  readonly isOvertaken: boolean;
  readonly lines: Lines | undefined;
  readonly problems: readonly {
    readonly line: number;
    readonly column: number;
    readonly length: number;
    readonly severity: string;
  }[];
}

/** How writing the file went. */
export interface Outcome {
  /** Why it could not be written. */
  readonly trouble?: string;
  /** It was not saved, because it does not load. */
  readonly isBroken?: boolean;
}

export function editorState(config: LiveConfig): EditorState {
  const { text, isDraft, isOvertaken, problems } = config;
  return {
    text,
    locked: Buffer.byteLength(text) > maxBodyBytes ? 'Over 64 KB: edit the file, and it follows.' : undefined,
    isDraft,
    isOvertaken,
    lines: linesOf(text.replace(/^\uFEFF/, '')),
    problems: problems.flatMap(({ line, column, severity, excerpt }) =>
      excerpt === '' ? [] : [{ line, column, length: /\^*$/.exec(excerpt)?.[0].length ?? 1, severity }],
    ),
  };
}
