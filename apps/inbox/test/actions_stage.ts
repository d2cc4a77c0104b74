/** A relay with entries, and an inbox that acts on them. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../../packages/core/src/settings.ts';
import { storeOpener } from '../../../packages/queue/src/index.ts';
import { documentPath } from '../../../packages/stored/src/archive/archive.ts';
import { submissionOf } from '../../../packages/stored/src/kept/list.ts';
import { createRelay, relayWith, tempFolder } from '../../../test/support/index.ts';
import { type ActionContext, act, deleteEntry, openForActions } from '../src/actions/index.ts';
import type { ActionRequest } from '../src/api.ts';
import type { ArchiveSource, IndexedEntry } from '../src/entry_index.ts';
import { indexed } from './stage.ts';

export const slow = 30_000;

export interface InboxOptions {
  readonly config: string;
  readonly sources: readonly ArchiveSource[];
  readonly env?: Environment;
  readonly more?: Partial<ActionContext>;
}

/** Opens an inbox as a separate process would. */
export async function openInbox({ config, sources, env = {}, more }: InboxOptions) {
  const relay = createRelay({
    config,
    freezes: true,
    env: { FORM_TOKEN_SECRET: 'a secret that is long enough', ...env },
    effects: { log: () => {} },
  });
  onTestFinished(relay.close);
  const loaded = await relay.config.get();
  if (!loaded) throw new Error('the config did not load');
  const keep = loaded.shared.get('keep');
  const stores = keep ? [await storeOpener(relay.services, relay.settings)(keep)] : [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  const context: ActionContext = {
    config: () => relay.config.get(),
    settings: relay.settings,
    services: relay.services,
    archives: sources.map(openForActions),
    stores: stores.map(({ leases }) => leases),
    ...more,
  };
  const entry = async (id: string, about: Partial<IndexedEntry> = {}): Promise<IndexedEntry> => {
    const stored = [];
    let found: { readonly form: string; readonly receivedAt: number } | undefined;
    for (const [archive, { archive: reader }] of context.archives.entries()) {
      try {
        for await (const one of reader.entries({}, () => {})) {
          if (one.id !== id) continue;
          found = one;
          stored.push({ archive, path: documentPath(one) });
        }
      } catch {
        // Nothing has been dropped yet.
      }
    }
    const kept = [];
    for (const [store, one] of context.stores.entries())
      for await (const { kept: listed } of one.list())
        if (submissionOf(listed.id) === id) kept.push({ store, id: listed.id });
    const { form = 'contact', receivedAt = Date.now() } = found ?? {};
    return indexed(id, { form, receivedAt, stored, kept, ...about });
  };
  return {
    context,
    /** The entry as an up-to-date index would have it. */
    entry,
    act: async (id: string, request: ActionRequest, about?: Partial<IndexedEntry>) =>
      act(await entry(id, about), request, context),
    remove: async (id: string) => deleteEntry(await entry(id), context),
    /** Paths of a submission's documents. */
    paths: async (id: string) => (await entry(id)).stored.map(({ path }) => path),
  };
}

export const sourcesIn = (root: string): readonly ArchiveSource[] => [
  { place: root, name: root, isDropped: false },
  { place: join(root, '.dropped'), name: `${root}/.dropped`, isDropped: true },
];

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A relay with one form that archives and queues in a folder. `outputs` and `keys` are YAML. */
export async function openStage({
  outputs = '',
  keys = '',
  top = '',
  fields = '[{name: name, required: true}, {name: email, type: email}, {name: cv, type: file}]',
  spam = '',
  env: own = {},
}: {
  readonly outputs?: string;
  readonly keys?: string;
  /** More top-level keys. */
  readonly top?: string;
  readonly fields?: string;
  /** More keys of `spam`, followed by a comma. */
  readonly spam?: string;
  readonly env?: Environment;
}) {
  const root = tempFolder();
  const kept = join(tempFolder(), 'kept');
  await mkdir(kept, { mode: 0o700 });
  const config = `
keep: {in: ${kept}}
${top}
forms:
  contact:
    fields: ${fields}
    spam: {honeypot: website, ${spam}keep_dropped: 30d}
    ${keys}
    outputs:
      - {type: folder, path: ${root}}
${outputs}
`;
  const env = { FORM_TOKEN_SECRET: 'a secret that is long enough', ...own };
  const relay = await relayWith({ config, env });
  const inbox = await openInbox({ config, sources: sourcesIn(root), env });
  return {
    ...inbox,
    relay,
    root,
    config,
    /** Sends a submission, and waits until its documents and deliveries are stored. Returns its id. */
    send: async (values: string | FormData, places = 1) => {
      const response = await fetch(`${relay.origin}/api/v1/submit/contact`, {
        method: 'POST',
        body: typeof values === 'string' ? new URLSearchParams(values) : values,
      });
      const id = response.headers.get('x-request-id') ?? '';
      await expect.poll(() => inbox.paths(id), { timeout: slow }).toHaveLength(places);
      return id;
    },
  };
}
