import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import { slow, type Transport } from '../transport.ts';
import type { FolderMessage } from './folder_message.ts';

/** What writes and shows entries is loaded with the first one. */
export const folderTransport = (
  effects: Pick<Effects, 'storeFile' | 'readFile' | 'now'>,
): Transport<FolderMessage, string> => ({
  send: async (message, timeoutMs) => {
    const { storeEntry } = await import('../archive/store_and_show.ts');
    const { folder } = message;
    return storeEntry(message, timeoutMs, effects, (object, timeoutMs) =>
      effects.storeFile({ folder, object, timeoutMs }),
    );
  },
  show: async (message, mask) => {
    const { showEntry } = await import('../archive/store_and_show.ts');
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
