import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../packages/relay/src/config/fingerprint.ts';

test('a text is its own print, and a long one is told from all others by a short one', async () => {
  const most = 'ä'.repeat(262_144);
  expect(await fingerprintOf('a text')).toBe('a text');
  expect(await fingerprintOf(most)).toBe(most);
  for (const long of [`${most}.`, most + most, `${most}${most}\ud800`]) {
    const print = createHash('sha256').update(long, 'utf16le').digest('base64');
    expect(await fingerprintOf(long)).toBe(print);
  }
});
