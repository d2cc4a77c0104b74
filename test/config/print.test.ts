import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { printOf } from '../../packages/relay/src/config/print.ts';

test('a text is its own print, and a long one is told from all others by a short one', async () => {
  const most = 'ä'.repeat(262_144);
  expect(await printOf('a text')).toBe('a text');
  expect(await printOf(most)).toBe(most);
  for (const long of [`${most}.`, most + most, `${most}${most}\ud800`]) {
    const print = createHash('sha256').update(long, 'utf16le').digest('base64');
    expect(await printOf(long)).toBe(print);
  }
});
