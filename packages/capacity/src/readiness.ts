/** Checks whether the folders that a config writes to can be used, for `/readyz` and the log. */

import { ClientError } from '@form-relay/base/client_error';
import { withTimeout } from '@form-relay/base/with_timeout';
import { tryFolder } from '@form-relay/clients/folder';
import type { Form, Plugin, Readiness, Services } from '@form-relay/core/index';
import { uses as keysThatCount } from './counters/index.ts';

/** A hanging disk must not delay `/readyz` for longer. */
const timeoutMs = 2_000;
/** Limits checks of the disks, because anyone may request `/readyz`. */
const restMs = 1_000;

/** Keys and types of other plug-ins for which the relay loads this one. */
export const uses = ['outputType folder', ...keysThatCount];

export function plugin(): Plugin {
  let folders: readonly string[] = [];
  let services: Services | undefined;
  let looked: { readonly at: number; readonly problems: Promise<readonly string[]> } | undefined;

  const look = async (): Promise<readonly string[]> =>
    (await Promise.all(folders.map(problemOf))).filter((says) => says !== undefined);
  const problemsNow = (now: number) => {
    if (!looked || now < looked.at || now - looked.at >= restMs) looked = { at: now, problems: look() };
    return looked.problems;
  };

  return {
    name: 'readiness',
    start: ({ forms, ...life }) => {
      services = life.services;
      folders = [...new Set([...forms.values()].flatMap(foldersOf))];
      looked = undefined;
      const { log, now } = services;
      void problemsNow(now()).then((problems) => {
        if (problems.length > 0) log('error', 'folders_unusable', { problems });
      });
    },
    readiness: async (): Promise<Readiness | undefined> => {
      const problems = services ? await problemsNow(services.now()) : [];
      return problems.length > 0 ? { says: problems.join('; '), isUnready: true } : undefined;
    },
  };
}

async function problemOf(path: string): Promise<string | undefined> {
  try {
    return await withTimeout<string | undefined>(
      timeoutMs,
      tryFolder(path, { writes: false }).then(() => undefined),
      () => `the folder ${path} does not respond within ${timeoutMs} ms`,
    );
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return error.message;
  }
}

/** The folders of the form's outputs, and the folder in which it counts. */
function foldersOf({ outputs, provided }: Form): readonly string[] {
  const written = outputs.flatMap(({ transport }) =>
    transport?.protocol === 'folder' ? (transport.target ?? []) : [],
  );
  const place = provided.get('counters')?.place;
  return place?.type.isFolder ? [...written, place.name] : written;
}
