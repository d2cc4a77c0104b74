/** The studio's page loads quickly over a slow line, too (issue 30): its scripts and styles, compressed. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const folder = 'apps/studio/built/app';

test('the page takes less than 255 KB', () => {
  const names = readdirSync(folder).filter((name) => /\.(?:js|css)$/.test(name));
  expect(names).toEqual(expect.arrayContaining(['studio.css', 'studio.js']));
  const sizes = names.map((name) => gzipSync(readFileSync(`${folder}/${name}`), { level: 9 }).length);
  expect(sizes.reduce((sum, one) => sum + one)).toBeLessThan(255_000);
});
