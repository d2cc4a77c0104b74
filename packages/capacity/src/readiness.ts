/** Whether the folders that a config writes into can be used, and the store in which its forms count: for `/readyz` and the log. */

import { tryFolder } from '@form-relay/clients/folder';
import type { Form, Plugin, Provided, Readiness, Registered, Services } from '@form-relay/core/index';
import { ClientError, withTimeout } from '@form-relay/core/kit';
import type { Counters } from './counters/index.ts';
import { countPaths } from './counters/stores/folder.ts';
import { nameInStore } from './names.ts';
import { countedKeys } from './read_counts.ts';

/** A disk that hangs must not hold up `/readyz`. */
const timeoutMs = 2_000;
/** Anyone may ask `/readyz`: the disks are asked at most this often. */
const restMs = 1_000;
/** Nothing is counted under it: it is only read. */
const readKey = 'ready';

interface Folder {
  readonly root: string;
  /** The folder, and those in which the relay makes it, up to the root. */
  readonly paths: readonly string[];
}

export function plugin(): Plugin {
  let folders: readonly Folder[] = [];
  let counters: Counters | undefined;
  let services: Services | undefined;
  let isReady = false;
  let looked: { readonly at: number; readonly problems: Promise<readonly string[]> } | undefined;

  const look = async (all: readonly Folder[]): Promise<readonly string[]> => {
    const found = await Promise.all(
      all.map(async ({ root, paths }) => [root, await problemOf(paths)] as const),
    );
    // One problem for each root: its folders fail for the same reason.
    const byRoot = new Map<string, string>();
    for (const [root, says] of found) if (says && !byRoot.has(root)) byRoot.set(root, says);
    // Unless another config came meanwhile, with folders of its own.
    if (all === folders && byRoot.size === 0) isReady = true;
    return [...byRoot.values()];
  };
  const problemsNow = (now: number) => {
    if (!looked || now < looked.at || now - looked.at >= restMs)
      looked = { at: now, problems: look(folders) };
    return looked.problems;
  };

  return {
    name: 'readiness',
    onConfig: (forms, context) => {
      services = context.services;
      const all = [...forms.values()];
      // Forms share folders.
      folders = [...new Map(all.flatMap(foldersOf).map((one) => [one.paths[0], one])).values()];
      counters = all.map(storeOf).find((store) => store !== undefined);
      looked = undefined;
      const { log, now } = services;
      void problemsNow(now()).then((problems) => {
        if (problems.length > 0) log('error', 'folders_unusable', { problems });
      });
    },
    readiness: async (): Promise<Readiness | undefined> => {
      if (!services) return undefined;
      const [unusable, uncounted] = await Promise.all([
        problemsNow(services.now()),
        countProblem(counters, services),
      ]);
      const problems = [...unusable, ...uncounted];
      if (problems.length === 0) return undefined;
      // From the first time on that all folders could be used, the relay stays ready, whatever comes.
      return { says: problems.join('; '), ...(unusable.length > 0 && !isReady && { isUnready: true }) };
    },
  };
}

async function problemOf([path = '', ...above]: readonly string[]): Promise<string | undefined> {
  try {
    return await withTimeout<string | undefined>(
      timeoutMs,
      tryFolder(path, { writes: false }).then(() => undefined),
      () => `the folder ${path} does not answer within ${timeoutMs} ms`,
    );
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return error.code === 'folder_missing' && above.length > 0 ? problemOf(above) : error.message;
  }
}

/** A counter asks its store once a second at most, and waits for it as long. */
async function countProblem(counters: Counters | undefined, services: Services): Promise<readonly string[]> {
  if (!counters || counters.place.kind === 'folder') return [];
  try {
    await (await counters.counter(services)).read(readKey, true);
    return [];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return [`counts cannot be read: ${error.message}`];
  }
}

function foldersOf(form: Form): readonly Folder[] {
  const written = form.outputs.flatMap(({ transport }): readonly Folder[] =>
    transport?.protocol === 'folder' && transport.target !== undefined
      ? [{ root: transport.target, paths: [transport.target] }]
      : [],
  );
  const place = storeOf(form)?.place;
  if (place?.kind !== 'folder') return written;
  const keys = new Set(countedKeys(form).map((key) => key.split('/', 2).join('/')));
  if (hasKeys(form)) keys.add(`keys/${nameInStore(form.id)}`);
  return [...written, ...[...keys].map((key) => ({ root: place.path, paths: countPaths(place.path, key) }))];
}

/** Where the form counts, if it does. */
const storeOf = (form: Form): Counters | undefined =>
  countedKeys(form).length > 0 || hasKeys(form) ? form.provided.get('counters') : undefined;

/** Another package declares what it provides. */
const hasKeys = ({ provided }: Form): boolean =>
  (provided as Registered<Provided & { keys: unknown }>).get('keys') !== undefined;
