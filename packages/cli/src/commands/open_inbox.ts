import { stackOf } from '@form-relay/base/client_error';
import { whyUnwritten } from '@form-relay/base/text_file';
import { CommandFailed } from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import {
  act,
  createPeople,
  deleteEntry,
  deliverAll,
  openForActions,
  unmark,
} from '@form-relay/inbox/actions';
import { type EntryIndex, sourcesOf } from '@form-relay/inbox/entry_index';
import { fieldsOf } from '@form-relay/inbox/export';
import { openIndex } from '@form-relay/inbox/index';
import { createLearner } from '@form-relay/inbox/learning';
import type { InboxOptions } from '@form-relay/inbox/options';
import { createOutbox } from '@form-relay/inbox/outbox';
import { openStore, type Store, StoreFailed } from '@form-relay/inbox/store';
import { followWork } from '@form-relay/inbox/work';
import { waitingSince } from '@form-relay/queue/held';
import { type Leases, storeOpener } from '@form-relay/queue/index';
import type { Relay } from '@form-relay/runtimes/running_relay';
import { unsealWith } from '@form-relay/stored/archive/read_entry';
import { submissionOf } from '@form-relay/stored/kept/list';
import { indexFolder, registerIndex, storeFolder } from '@form-relay/stored/search_index';
import { readKeys } from '@form-relay/stored/terminal';
import { readBeside, threadProgram } from '../beside.ts';

export interface InboxPlan {
  /** Does not retry deliveries by itself. */
  readonly relay: Relay;
  readonly config: Config;
  /** The folder of the index. Default: a folder in the user's cache. */
  readonly folder?: string | undefined;
  /** The folder of the store. Default: the config's, or else a folder in the user's data. */
  readonly store?: string | undefined;
  /** The file with the private key for sealed submissions. */
  readonly identity?: string | undefined;
}

export interface OpenedInbox {
  /** All options except those that identify the user. */
  readonly options: Omit<InboxOptions, 'person' | 'isOwnHost' | 'audit'>;
  close(): Promise<void>;
}

/** How often the config is reloaded. This process gets no visitors' requests, which trigger reloads in others. */
const refreshMs = 10_000;

/**
 * Opens the stores and archives that a config names, and an index of them. Throws a `CommandFailed` if it
 * names none, or if the index cannot be written.
 */
export async function openInbox({ relay, config, folder, store, identity }: InboxPlan): Promise<OpenedInbox> {
  const unseal = identity === undefined ? undefined : await unsealWith(await readKeys(identity));
  const sources = sourcesOf(config);
  if (sources.archives.length === 0 && sources.stores.length === 0) {
    throw new CommandFailed(
      'the config stores no submissions: add an output of type folder or s3, or keep (docs/inbox.md)',
    );
  }
  const name = relay.config.sourceName;
  const usedFolder = folder ?? indexFolder(name, process.env);
  if (usedFolder === undefined)
    throw new CommandFailed(
      'this user has no home folder for the search index; set a folder with --index or XDG_CACHE_HOME',
    );
  const { services, settings } = relay;
  const keep = config.shared.get('keep');
  const stores = keep ? [await storeOpener(services, settings)(keep)] : [];
  const leases = stores.map((one) => one.leases);
  const index = await openIndex({
    sources,
    program: threadProgram('index_worker'),
    folder: usedFolder,
    forms: new Map([...config.forms].map(([id, form]) => [id, fieldsOf(form)])),
    listKept: () => listKept(leases),
    warn: (words) => process.stderr.write(`${words}\n`),
  }).catch(async (error: NodeJS.ErrnoException) => {
    for (const store of stores) await store.close();
    if (error.syscall === undefined) throw error;
    const why = error.code === 'EEXIST' ? 'not a folder' : whyUnwritten(error);
    throw new CommandFailed(
      `the search index cannot be written to ${usedFolder}: ${why}; set another folder with --index or XDG_CACHE_HOME`,
    );
  });
  registerIndex(
    usedFolder,
    sources.archives.map(({ place }) => place),
    process.env,
  );
  const current = () => relay.config.current ?? config;
  const refreshing = setInterval(() => void relay.config.get(), refreshMs).unref();
  const context = {
    config: async () => (await relay.config.get()) ?? config,
    settings,
    services,
    archives: sources.archives.map(openForActions),
    stores: leases,
  };
  const own = ownStore(relay, config, store);
  const broken = (error: unknown) => process.stderr.write(`${stackOf(error)}\n`);
  const { store: opened } = own;
  const added =
    opened && followWork({ store: opened, index, indexFolder: usedFolder, now: services.now, broken });
  const learner = createLearner({
    index,
    sources,
    config: current,
    configName: name,
    broken,
    env: services.env,
    now: services.now,
    program: threadProgram('learn_worker'),
  });
  return {
    options: {
      index,
      sources,
      unseal,
      exportProgram: threadProgram('export_worker'),
      config: current,
      configName: name,
      actions: {
        run: async (id, request) => act(await found(index, id), request, context),
        remove: async (id) => deleteEntry(await found(index, id), context),
        deliverAll: (forms, how) => deliverAll(forms, context, how),
        unmark: (before) => unmark(before, index.get, context),
      },
      people: createPeople({ ...context, index }),
      ...own,
      work: added?.work,
      outbox: own.store && createOutbox(own.store, { config: current, services, settings }),
      learner,
      asset: (name) => readBeside(`inbox/${name}`).catch(() => undefined),
      broken,
    },
    async close() {
      clearInterval(refreshing);
      await learner.close();
      await index.close();
      added?.close();
      own.store?.close();
      for (const store of stores) await store.close();
    },
  };
}

/**
 * Opens the store for notes. Submissions must be readable without it, so the inbox opens anyway and says why
 * nothing can be added.
 */
function ownStore(...given: Parameters<typeof openOwnStore>): Pick<InboxOptions, 'store' | 'whyNoStore'> {
  const opened = openOwnStore(...given);
  if ('store' in opened) return opened;
  const { message } = opened.failed;
  process.stderr.write(`Labels, notes and replies are unavailable: ${message}\n`);
  return { whyNoStore: message };
}

/** @param folder Default: the config's, or else a folder in the user's data. */
export function openOwnStore(
  relay: Relay,
  config: Config,
  folder: string | undefined,
): { readonly store: Store } | { readonly failed: StoreFailed; readonly place: string | undefined } {
  const place =
    folder ?? config.shared.get('inbox')?.store ?? storeFolder(relay.config.sourceName, process.env);
  try {
    if (place === undefined)
      throw new StoreFailed('this user has no home folder; set a folder with --store or XDG_DATA_HOME');
    return { store: openStore(place) };
  } catch (error) {
    if (error instanceof StoreFailed) return { failed: error, place };
    throw error;
  }
}

async function found(index: EntryIndex, id: string) {
  const entry = await index.get(id);
  if (!entry) throw new Error('the server asks about entries that it found');
  return entry;
}

async function listKept(stores: readonly Leases[]) {
  const all = [];
  for (const [store, one] of stores.entries()) {
    for await (const { kept, deadLetter, dueAt } of one.list()) {
      const { id, form, output, receivedAt } = kept;
      const waitsForOwner = deadLetter !== undefined;
      all.push({
        store,
        id,
        submission: submissionOf(id),
        form,
        output: output.type,
        at: receivedAt,
        waitsForOwner,
        keptAt: waitingSince(kept),
        code: kept.why?.code,
        reason: kept.why?.words,
        ...(!waitsForOwner && { nextAt: dueAt }),
      });
    }
  }
  return all;
}
