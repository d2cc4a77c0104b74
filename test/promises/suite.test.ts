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
async function kept(product: Adapter): Promise<readonly string[]> {
  const suite = await startSuite(product, 2_500);
  const looks = new Map<string, () => void>();
  const left = Object.entries(promises);
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
  const ids = [...looks].flatMap(([id, look]) => {
    try {
      look();
      return [id];
    } catch {
      return [];
    }
  });
  await suite.stop();
  return ids;
}

test('there are 199 promises, each a sentence of its own', () => {
  const sentences = Object.values(promises).map(({ says }) => says);
  expect(new Set(sentences).size).toBe(199);
  for (const says of sentences) expect(says).toMatch(/^[A-Z`].*\.$/s);
});

test('a product that is not there keeps nothing', async () => {
  expect(await kept(gone)).toEqual([]);
});

test('products that are wrong in every way break every promise', async () => {
  const all = await Promise.all(
    [
      naive,
      answering(200, '{"message":"ok"}'),
      answering(404, '{"error":"no"}'),
      answering(500, 'Error: no\n    at handle (/srv/app.js:1:2)'),
    ].map(kept),
  );
  expect(Object.keys(promises).filter((id) => all.every((ids) => ids.includes(id)))).toEqual([]);
});
