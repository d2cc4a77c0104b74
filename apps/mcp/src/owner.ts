import type { ReadText } from '@form-relay/base/owners_text';
import type { Result } from '@form-relay/base/result';
import type { ConfigSource } from '@form-relay/config/source';
import type { Form } from '@form-relay/core/form';
import type { Examination } from '@form-relay/doctor/examine';
import type { Setup } from '@form-relay/doctor/setup';
import type { ReadText as ReadSibling } from '@form-relay/yaml/siblings';

/** Functions that the command line lends to a session. A failure for the assistant to read is a `ToolError`. */
export interface Owner {
  /** The config's file, as its owner named it. */
  readonly file: string;
  readText(): Promise<ReadText>;
  /** Replaces the config's text, whole or not at all, unless it differs from `expected` by then. */
  save(
    text: string,
    expected: string | undefined,
    beforeTakingItsPlace: () => Promise<void>,
  ): Promise<Result<'saved' | 'changed', string>>;
  readonly readSibling: ReadSibling;
  /** The reason why a sibling file cannot be written. */
  whyUnwritten(error: unknown): string;
  setUp(source: ConfigSource): Promise<Setup>;
  diagnose(source: ConfigSource): Promise<readonly Examination[]>;
  /** Why the relay would refuse the key in this variable. */
  keyProblem(form: Form, variable: string): string | undefined;
  /** A file of the build; see `beside.ts` of the command line. */
  readBeside(path: string): Promise<Uint8Array>;
}

/** A tool cannot do its task: the message is for the assistant. */
export class ToolError extends Error {
  override name = 'ToolError';
}
