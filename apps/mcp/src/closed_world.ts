import { ClientError } from '@form-relay/base/client_error';
import { err } from '@form-relay/base/result';
import type { Config } from '@form-relay/core/config';
import { placeholdersOf } from '@form-relay/dry-run/placeholders';
import type {} from '@form-relay/more-outputs/folder';
import type {} from '@form-relay/queue/index';
import type { RelayOptions } from '@form-relay/runtimes/relay';
import type {} from '@form-relay/stored/archive/retention';

/**
 * A world for dry runs of configs that an assistant may have written: nothing is sent, read or written, and no variable has
 * the value that it has here, since a mapping with `{{ env "…" }}` would show it.
 */
export function closedWorld({ env }: Pick<Config, 'env'>): Pick<RelayOptions, 'env' | 'services'> {
  const reserved = placeholdersOf(env);
  const refuse = async (): Promise<never> => {
    throw new ClientError('a dry run for an assistant reaches nothing outside');
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
