import { expect, test } from 'vitest';
import { createServices } from '../../packages/relay/src/memory/services.ts';
import { heapMb } from '../support/heap.ts';

function stage() {
  let now = Date.UTC(2030, 0, 1);
  const asked: string[] = [];
  const service = createServices(() => now).at<string>('signal', 'service.example');
  return {
    asked,
    service,
    advance: (ms: number) => {
      now += ms;
    },
    ask: (question: string, answer: () => Promise<string> = async () => `to ${question}`) =>
      service.ask(question, () => {
        asked.push(question);
        return answer();
      }),
  };
}

const fails = () => Promise.reject(new Error('away'));

test('it remembers the latest answers, and no more of them than it has room for', async () => {
  const { ask, asked } = stage();
  const before = heapMb();
  for (let nth = 0; nth < 20_000; nth += 1) await ask(`${nth}`.padStart(44, 'x'));
  expect(heapMb() - before).toBeLessThan(8);
  asked.length = 0;
  await ask('19999'.padStart(44, 'x'));
  await ask('18000'.padStart(44, 'x'));
  expect(asked).toEqual([]);
  await ask('17999'.padStart(44, 'x'));
  expect(asked).toHaveLength(1);
});

test('an answer that did not come is not remembered, and who waits for the same learns of it, too', async () => {
  const { ask, asked } = stage();
  const both = await Promise.allSettled([ask('a', fails), ask('a', fails)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toEqual(['a']);
  expect(await ask('a')).toBe('to a');
});

test('for a quarter of an hour, whoever sends it again gets the same answer', async () => {
  const { ask, asked, advance } = stage();
  await ask('a');
  advance(15 * 60_000 - 1);
  await ask('a');
  expect(asked).toEqual(['a']);
  advance(1);
  await ask('a');
  expect(asked).toEqual(['a', 'a']);
});

test('three failures in a row make it rest; an answer between them does not', async () => {
  const { ask, asked, advance } = stage();
  for (const question of ['a', 'b']) await expect(ask(question, fails)).rejects.toThrow('away');
  await ask('c');
  for (const question of ['d', 'e', 'f']) await expect(ask(question, fails)).rejects.toThrow('away');
  await expect(ask('g')).rejects.toMatchObject({ code: 'service_rests' });
  expect(asked).not.toContain('g');
  // What it said before, it still says.
  expect(await ask('c')).toBe('to c');
  advance(30_000);
  await expect(ask('h', fails)).rejects.toThrow('away');
  await expect(ask('i')).rejects.toMatchObject({ code: 'service_rests' });
  advance(30_000);
  expect(await ask('j')).toBe('to j');
  expect(await ask('k')).toBe('to k');
});

test('a clock that is set back keeps nobody waiting for it', async () => {
  const { ask, advance } = stage();
  for (const question of ['a', 'b', 'c']) await expect(ask(question, fails)).rejects.toThrow('away');
  advance(-86_400_000);
  expect(await ask('d')).toBe('to d');
});

test('a clock that jumps forgets answers', async () => {
  const { ask, asked, advance } = stage();
  await ask('a');
  advance(-1);
  await ask('a');
  advance(86_400_000);
  await ask('a');
  expect(asked).toEqual(['a', 'a', 'a']);
});

test('each service is one, whoever asks for it, and there are no more of them than any config names', () => {
  const services = createServices(() => 0);
  const first = services.at('signal', 'service.example');
  expect(services.at('signal', 'service.example')).toBe(first);
  expect(services.at('signal', 'another.example')).not.toBe(first);
  expect(services.at('another', 'service.example')).not.toBe(first);
  for (let nth = 4; nth <= 100; nth += 1) services.at('signal', `${nth}.example`);
  expect(services.at('signal', '100.example')).toBe(services.at('signal', '100.example'));
  expect(services.at('signal', 'more.example')).not.toBe(services.at('signal', 'more.example'));
  expect(services.at('signal', 'service.example')).toBe(first);
});

test('of a flood, 50 wait for it at a time, and the next when one of them has its answer', async () => {
  const { ask } = stage();
  let end = (_: string) => {};
  const first = ask('first', () => new Promise((resolve) => (end = resolve)));
  for (let nth = 1; nth < 50; nth += 1) void ask(`${nth}`, () => new Promise(() => {}));
  await expect(ask('51st')).rejects.toMatchObject({ code: 'service_busy', params: { most: 50 } });
  end('to first');
  expect(await first).toBe('to first');
  expect(await ask('51st')).toBe('to 51st');
});

test('an answer that failed late takes back no newer one', async () => {
  const { ask, asked, advance } = stage();
  let fail = (_: Error) => {};
  const old = ask('a', () => new Promise((_, reject) => (fail = reject)));
  advance(15 * 60_000);
  expect(await ask('a')).toBe('to a');
  fail(new Error('away'));
  await expect(old).rejects.toThrow('away');
  expect(await ask('a')).toBe('to a');
  expect(asked).toEqual(['a', 'a']);
});

test('that it gave no answer is in the log once a second, with how often', () => {
  const { service, advance } = stage();
  const logged: unknown[] = [];
  const tell = () => service.logSilence((...line) => logged.push(line), 'it timed out');
  tell();
  tell();
  advance(1_000);
  tell();
  const line = { signal: 'signal', host: 'service.example', reason: 'it timed out' };
  expect(logged).toEqual([
    ['warn', 'service_silent', { ...line, times: 1 }],
    ['warn', 'service_silent', { ...line, times: 2 }],
  ]);
});
