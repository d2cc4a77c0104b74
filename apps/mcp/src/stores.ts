/** The places in which the relay stored submissions, as the owner's config names them. */
import { ClientError } from '@form-relay/base/client_error';
import type { Config } from '@form-relay/core/config';
import { type Leases, storeOpener } from '@form-relay/queue/index';
import { createRelay } from '@form-relay/runtimes/node/relay';
import type { Archive, Choice, Entry } from '@form-relay/stored/archive/archive';
import { openArchive } from '@form-relay/stored/archive/open';
import { archivesIn } from '@form-relay/stored/archive/retention';
import { keysOf } from '@form-relay/stored/kept/open';
import { ToolError } from './owner.ts';
import type { Session } from './session.ts';

export interface OwnStore {
  readonly leases: Leases;
  readonly config: Config;
  readonly keys: ReturnType<typeof keysOf>;
}

/** Looks into what the config keeps. */
export async function withOwnStore<T>(session: Session, work: (open: OwnStore) => Promise<T>): Promise<T> {
  const config = await session.ownConfig();
  const keep = config.shared.get('keep');
  if (!keep) throw new ToolError('the config keeps nothing: it has no keep at its top');
  const relay = createRelay({ freezes: true, services: { log: () => {} } });
  try {
    const store = await storeOpener(relay.services, relay.settings)(keep);
    try {
      return await work({ leases: store.leases, config, keys: keysOf(relay.services, relay.settings) });
    } catch (error) {
      if (error instanceof ClientError) throw new ToolError(`${keep.in.name}: ${error.message}`);
      throw error;
    } finally {
      await store.close();
    }
  } finally {
    await relay.close();
  }
}

export interface OwnArchive {
  readonly name: string;
  readonly archive: Archive;
}

/** The archives of the config; `dropped`: their folders of rejected submissions. */
export function archivesOf({ forms }: Config, which: 'archive' | 'dropped'): readonly OwnArchive[] {
  return [...archivesIn([...forms.values()])].map((root) => {
    const name = which === 'dropped' ? `${root}/.dropped` : root;
    return { name, archive: openArchive(name) };
  });
}

export interface ArchivedEntry extends OwnArchive {
  readonly entry: Entry;
}

/** More than an assistant asks for; the inbox has an index for them. */
const mostEntries = 200_000;

/** The submissions of a choice in all archives, each once. Archives that are not there yet have none. */
export async function entriesOf(
  archives: readonly OwnArchive[],
  choice: Choice,
  signal: AbortSignal,
): Promise<readonly ArchivedEntry[]> {
  const found = new Map<string, ArchivedEntry>();
  for (const { name, archive } of archives) {
    try {
      for await (const entry of archive.entries(choice, () => {})) {
        signal.throwIfAborted();
        // Each output of a form writes a document of its own, which may be sealed.
        const key = JSON.stringify([entry.form, entry.receivedAt, entry.id]);
        if (found.get(key)?.entry.isSealed ?? true) found.set(key, { name, archive, entry });
        if (found.size >= mostEntries) return [...found.values()];
      }
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (!/there is no such folder/.test(error.message)) throw new ToolError(error.message);
    }
  }
  return [...found.values()];
}
