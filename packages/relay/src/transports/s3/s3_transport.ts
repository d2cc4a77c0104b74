import { failed } from '../../base/client_error.ts';
import type { Effects } from '../../base/effects.ts';
import { refused, slow, type Transport } from '../transport.ts';
import type { S3Message } from './s3_message.ts';

/** What puts and shows entries is loaded with the first one. */
export const s3Transport = (
  effects: Pick<Effects, 'putObject' | 'readFile' | 'now'>,
): Transport<S3Message, string> => ({
  send: async (message, timeoutMs) => {
    const { storeEntry } = await import('../archive/store_and_show.ts');
    const { bucket, prefix } = message;
    return storeEntry(message, timeoutMs, effects, (object, timeoutMs) =>
      effects.putObject({ bucket, key: prefix + object.path, object, timeoutMs }),
    );
  },
  show: async (message, mask) => {
    const { showEntry } = await import('../archive/store_and_show.ts');
    return showEntry(message, `s3://${message.bucket}/${message.prefix}`, mask);
  },
  answerInWords: () => 'stored',
  faults: [
    refused,
    {
      name: 'denied',
      says: 'denies access',
      error: () => failed('s3_access_denied', { action: 's3:PutObject' }),
    },
    slow,
  ],
});
