/** The content of a kept delivery as version 0.1.0 sealed it with `keep.seal_to`. */
import { wholeOf } from '../../packages/base/src/streamed.ts';
import { readRecipient, seal } from '../../packages/more-outputs/src/age.ts';
import { packContent } from '../../packages/queue/src/stores/content.ts';

const checksumBytes = 16;

export function sealedContent(
  submission: Parameters<typeof packContent>[0],
  about: Parameters<typeof packContent>[1],
  publicKeys: readonly string[],
): Uint8Array {
  const clear = packContent(submission, about, '').subarray(1 + checksumBytes);
  const recipients = publicKeys.map((key) => {
    const recipient = readRecipient(key);
    if (typeof recipient === 'string') throw new Error(recipient);
    return recipient;
  });
  return Buffer.concat([Buffer.of(3), wholeOf(seal(clear, recipients))]);
}
