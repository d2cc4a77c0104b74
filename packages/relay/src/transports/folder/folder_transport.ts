import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import type { Archived, SealFor } from '../archive/archive_entry.ts';
import { type AnyMessage, type AnyTarget, slow, type Transport } from '../transport.ts';

/** The first entry loads the modules that store and show entries. */
export const folderTransport = (
  effects: Pick<Effects, 'storeFile' | 'readFile' | 'now'>,
): Transport<FolderMessage, string> => ({
  send: async (message, timeoutMs) => {
    const { storeEntry } = await import('../archive/store_entry.ts');
    const { folder } = message;
    return storeEntry(message, timeoutMs, effects, (object, timeoutMs) =>
      effects.storeFile({ folder, object, timeoutMs }),
    );
  },
  show: async (message, mask) => {
    const { showEntry } = await import('../archive/store_entry.ts');
    return showEntry(message, message.folder, mask);
  },
  answerInWords: () => 'stored',
  faults: [
    {
      name: 'full',
      says: 'has no room left',
      error: () => failed('folder_full', { path: 'the folder' }),
    },
    {
      name: 'missing',
      says: 'is not there',
      error: () => failed('folder_missing', { path: 'the folder' }),
    },
    slow,
  ],
});

export interface FolderMessage extends AnyMessage, Archived {
  readonly via: 'folder';
  /** The archive's folder: absolute, or relative to the working directory. */
  readonly folder: string;
}

export interface FolderTarget extends AnyTarget {
  readonly via: 'folder';
  readonly folder: string;
  readonly sealFor: SealFor | undefined;
}

export const folderTarget = (target: Omit<FolderTarget, 'via' | 'name'>): FolderTarget => ({
  ...target,
  via: 'folder',
  name: target.folder,
});
