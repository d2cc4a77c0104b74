import { ClientError } from '@form-relay/base/client_error';
import type { ReadText } from '@form-relay/base/owners_text';
import { err, type Result } from '@form-relay/base/result';
import type { ConfigSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import type { Form } from '@form-relay/core/form';
import type { Examination } from '@form-relay/doctor/examine';
import { placeholdersOf } from '@form-relay/dry-run/dry_run';
import type {} from '@form-relay/more-outputs/folder';
import type {} from '@form-relay/queue/index';
import type { Setup } from '@form-relay/runtimes/inspect';
import type { RelayOptions } from '@form-relay/runtimes/relay';
import type {} from '@form-relay/stored/archive/retention';
import type { ReadText as ReadSibling } from '@form-relay/yaml/config_text';

/** Functions that the command line provides to a session. A `ToolError` is meant for the assistant. */
export interface Owner {
  /** The config file as named by its owner. */
  readonly file: string;
  readText(): Promise<ReadText>;
  /** Atomically replaces the config's text, unless it no longer equals `expected`. */
  save(
    text: string,
    expected: string | undefined,
    beforeTakingItsPlace: () => Promise<void>,
  ): Promise<Result<'saved' | 'changed', string>>;
  readonly readSibling: ReadSibling;
  /** Why a sibling file cannot be written. */
  whyUnwritten(error: unknown): string;
  setUp(source: ConfigSource): Promise<Setup>;
  diagnose(source: ConfigSource): Promise<readonly Examination[]>;
  /** Why the relay would reject the key in this variable. */
  keyProblem(form: Form, variable: string): string | undefined;
  /** Reads a file of the build; see `beside.ts` of the command line. */
  readBeside(path: string): Promise<Uint8Array>;
}

/** A tool cannot do its task; the message is for the assistant. */
export class ToolError extends Error {
  override name = 'ToolError';
}

/**
 * An environment for dry runs of configs that an assistant may have written: nothing is sent, read or written, and
 * variables do not have their real values, because a mapping with `{{ env "…" }}` would reveal them.
 */
export function closedWorld({ env }: Pick<Config, 'env'>): Pick<RelayOptions, 'env' | 'services'> {
  const reserved = placeholdersOf(env);
  const refuse = async (): Promise<never> => {
    throw new ClientError('a dry run for an assistant makes no connections');
  };
  return {
    env: {},
    services: {
      // Valid both as text and as an address; the dry run has its own placeholders for server addresses and secrets.
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
