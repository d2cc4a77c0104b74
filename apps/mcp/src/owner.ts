import { ClientError } from '@form-relay/base/client_error';
import type { ReadText } from '@form-relay/base/owners_text';
import { err, type Result } from '@form-relay/base/result';
import type { ConfigSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import type { Examination } from '@form-relay/doctor/examine';
import type { Setup } from '@form-relay/doctor/setup';
import { placeholdersOf } from '@form-relay/dry-run/dry_run';
import type {} from '@form-relay/more-outputs/folder';
import type {} from '@form-relay/queue/index';
import type { RelayOptions } from '@form-relay/runtimes/relay';
import type {} from '@form-relay/stored/archive/retention';
import type { ReadText as ReadSibling } from '@form-relay/yaml/config_text';

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

/**
 * A world for dry runs of configs that an assistant may have written: nothing is sent, read or written, and no variable has
 * the value that it has here, since a mapping with `{{ env "…" }}` would show it.
 */
export function closedWorld({ env }: Pick<Config, 'env'>): Pick<RelayOptions, 'env' | 'services'> {
  const reserved = placeholdersOf(env);
  const refuse = async (): Promise<never> => {
    throw new ClientError('a dry run for an assistant makes no connections');
  };
  return {
    env: {},
    services: {
      // Reads as a text and as an address; the dry run has stand-ins of its own for addresses of servers and for secrets.
      env: (name) => (reserved.has(name) ? undefined : `${name}@stand-in.example`),
      readFile: async () => err('a dry run for an assistant reads no file'),
      http: refuse,
      smtp: refuse,
      ses: refuse,
      aws: refuse,
      readObject: refuse,
      storeFile: refuse,
      pruneArchive: refuse,
      openStore: refuse,
    },
  };
}
