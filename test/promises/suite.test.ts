/** Checks that the suite finds what is wrong: a check that cannot fail looks like a kept promise. */
import http from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../support/listen.ts';
import type { Adapter } from './adapter.ts';
import { areas } from './areas/index.ts';
import { naive } from './naive.ts';
import type { ProductPromise } from './promise.ts';
import { startSuite } from './suite.ts';

/** Answers everything alike, and delivers nothing. */
const answering = (status: number, text: string): Adapter => ({
  name: `answers ${status}`,
  start: async () => {
    const server = http.createServer((_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text),
    );
    const url = `http://127.0.0.1:${await listen(server)}`;
    return {
      url,
      stop: async () => {
        server.close();
        server.closeAllConnections();
      },
    };
  },
  run: async () => ({ code: 0, stdout: '', stderr: '' }),
});

const gone: Adapter = {
  name: 'gone',
  start: async () => ({ url: 'http://127.0.0.1:1', stop: async () => {} }),
  run: async () => ({ code: 1, stdout: '', stderr: '' }),
};

const promises: Readonly<Record<string, ProductPromise>> = Object.fromEntries(
  Object.entries(areas).flatMap(([area, { promises }]) =>
    Object.entries(promises).map(([id, promise]) => [`${area}/${id}`, promise]),
  ),
);

/** The promises that the product keeps. */
async function kept(
  product: Adapter,
  promises: readonly (readonly [id: string, promise: ProductPromise])[],
  patienceMs: number,
): Promise<ReadonlySet<string>> {
  const suite = await startSuite(product, patienceMs);
  const looks = new Map<string, () => void>();
  const left = [...promises];
  const tryNext = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [id, promise] = next;
      await suite.try(promise).then(
        (look) => looks.set(id, look),
        () => {},
      );
    }
  };
  await Promise.all(Array.from({ length: 16 }, tryNext));
  for (const [id, look] of looks) {
    try {
      look();
    } catch {
      looks.delete(id);
    }
  }
  await suite.stop();
  return new Set(looks.keys());
}

test('there are 199 promises, each a sentence of its own', () => {
  const sentences = Object.values(promises).map(({ says }) => says);
  expect(new Set(sentences).size).toBe(199);
  for (const says of sentences) expect(says).toMatch(/^[A-Z`].*\.$/s);
});

test('a product that is not there keeps nothing', async () => {
  expect([...(await kept(gone, Object.entries(promises), 2_500))]).toEqual([]);
});

test('products that are wrong in every way break every promise', { timeout: 300_000 }, async () => {
  const products = [
    naive,
    answering(200, '{"message":"ok"}'),
    answering(404, '{"error":"no"}'),
    answering(500, 'Error: no\n    at handle (/srv/app.js:1:2)'),
  ];
  let unbroken = Object.entries(promises);
  // On a busy machine, these products answer too late to be wrong.
  for (const patienceMs of [2_500, 10_000, 30_000]) {
    const all = await Promise.all(products.map((product) => kept(product, unbroken, patienceMs)));
    unbroken = unbroken.filter(([id]) => all.every((ids) => ids.has(id)));
  }
  expect(unbroken.map(([id]) => id)).toEqual([]);
});
