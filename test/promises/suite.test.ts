/** Checks that the suite finds mistakes: a check that cannot fail looks like a kept promise. */
import http from 'node:http';
import { listen } from '../support/listen.ts';
import type { Adapter } from './adapter.ts';
import { areas } from './areas/index.ts';
import { startSuite } from './suite.ts';

const gone: Adapter = {
  name: 'gone',
  start: async () => ({ url: 'http://127.0.0.1:1', stop: async () => {} }),
  run: async () => ({ code: 1, stdout: '', stderr: '' }),
};

/** Answers all requests alike, and delivers nothing. */
const answering = (status: number, text: string, headers = {}): Adapter => ({
  name: `answers ${status}`,
  start: async () => {
    const server = http.createServer((_, response) => response.writeHead(status, headers).end(text));
    const stop = async () => void server.close().closeAllConnections();
    return { url: `http://127.0.0.1:${await listen(server)}`, stop };
  },
  run: async () => ({ code: 0, stdout: '', stderr: '' }),
});
const careless = {
  ...{ location: 'https://evil.test/', 'x-powered-by': 'Naive 1.0', 'set-cookie': 'id=1' },
  ...{ 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'true' },
};

const promises = Object.entries(areas).flatMap(([area, { promises }]) =>
  Object.entries(promises).map(([id, promise]) => ({ ...promise, id: `${area}/${id}` })),
);

/** Ids of the promises that the product keeps. */
async function kept(
  product: Adapter,
  tried: typeof promises,
  patienceMs: number,
): Promise<readonly string[]> {
  const suite = await startSuite(product, patienceMs);
  const left = [...tried];
  const looks = new Map<string, () => void>();
  const tryNext = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { id } = next;
      await suite.try(next).then(
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
  return [...looks.keys()];
}

test('there are 199 promises, each a sentence of its own', () => {
  expect(new Set(promises.map(({ says }) => says)).size).toBe(199);
  for (const { says } of promises) expect(says).toMatch(/^[A-Z`].*\.$/s);
});

test('a missing product keeps no promise', async () => expect(await kept(gone, promises, 2_500)).toEqual([]));

/** Breaking these requires a product that delivers, or reads, too much. */
const unbreakable = [
  ...['answers/unknown_name', 'bodies/cut', 'bodies/headers', 'bodies/target', 'fragments/dropped'],
  ...['honeypot/alike', 'honeypot/dropped', 'methods/connect', 'wire/both_lengths', 'wire/odd_length'],
  ...['wire/odd_lines', 'wire/two_lengths'],
];

test('products that answer all requests alike break every other promise', { timeout: 200_000 }, async () => {
  const products = [
    answering(200, '{"message":"ok"}'),
    answering(302, 'no', careless),
    answering(404, '{"error":"no"}'),
    answering(500, 'Error: no\n    at handle (/srv/app.js:1:2)'),
  ];
  let unbroken: typeof promises = promises.filter(({ id }) => !unbreakable.includes(id));
  // On a busy machine, these products answer too late to be wrong.
  for (const patienceMs of [2_500, 10_000, 30_000]) {
    const all = await Promise.all(products.map((product) => kept(product, unbroken, patienceMs)));
    unbroken = unbroken.filter(({ id }) => all.every((ids) => ids.includes(id)));
  }
  expect(unbroken.map(({ id }) => id)).toEqual([]);
});
