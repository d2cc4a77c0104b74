import { ClientError, err, type Form } from '@form-relay/relay/base';
import type { Config } from '@form-relay/relay/config';
import { standInsOf } from '@form-relay/relay/dry_run';
import { everyOutput } from '@form-relay/relay/features';
import type { RelayOptions } from '@form-relay/relay/serve';

/**
 * A world for dry runs of configs that an assistant may have written: nothing is sent, read or written, and no variable has
 * the value that it has here, since a mapping with `{{ env "…" }}` would show it.
 */
export function closedWorld({ forms }: Config): RelayOptions {
  const reserved = new Set([...forms.values()].flatMap((form: Form) => [...standIns(form)]));
  const refuse = async (): Promise<never> => {
    throw new ClientError('a dry run for an assistant reaches nothing outside');
  };
  return {
    env: {},
    triesAgain: false,
    effects: {
      // Reads as a text and as an address; the dry run has stand-ins of its own for addresses of servers and for secrets.
      env: (name) => (reserved.has(name) ? undefined : `${name}@stand-in.example`),
      readFile: async () => err('a dry run for an assistant reads no file'),
      http: refuse,
      smtp: refuse,
      ses: refuse,
      readObject: refuse,
      storeFile: refuse,
      putObject: refuse,
      tryFolder: refuse,
      sweepDropped: refuse,
      pruneArchive: refuse,
      appendLines: refuse,
      removeJournal: refuse,
      scanFile: refuse,
      openStore: refuse,
      openCounter: refuse,
    },
  };
}

const standIns = (form: Form) => standInsOf(everyOutput(form).map(({ output }) => output)).keys();
