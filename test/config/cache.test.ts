import { beforeEach, expect, test, vi } from 'vitest';
import { createConfigCache } from '../../src/config/cache.ts';
import { parseConfig } from '../../src/config/parse.ts';

vi.mock('../../src/config/parse.ts', { spy: true });
beforeEach(() => void vi.mocked(parseConfig).mockClear());

const good = 'forms: {a: {fields: [], outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}';
const broken = 'forms: [';

/** A cache whose every `get` finds its config too old, over a source that gives these texts in turn. */
function cacheOf(...texts: (string | Error)[]) {
  const events: string[] = [];
  let time = 0;
  const effects = { now: () => (time += 60_000), log: (_: string, event: string) => void events.push(event) };
  const source = { name: 'webform.yaml', read: async () => textOf(texts.shift()) };
  return { cache: createConfigCache(source, undefined, effects), events };
}

test.each([
  ['good', good, 1],
  ['broken', broken, 3],
])('an unchanged text is parsed once (%s)', async (_, text, lines) => {
  const { cache, events } = cacheOf(text, text, text);
  for (let i = 0; i < 3; i += 1) await cache.get();
  expect(parseConfig).toHaveBeenCalledTimes(1);
  // What is broken stays in the log until it is repaired.
  expect(events).toHaveLength(lines);
});

test('a source that can be read again is told, though its text is the same', async () => {
  const { cache, events } = cacheOf(good, new Error('gone'), good, good);
  for (let i = 0; i < 4; i += 1) await cache.get();
  expect(events).toEqual(['config_loaded', 'config_unavailable', 'config_loaded']);
});

test('a broken text in between is told, and so is the repair', async () => {
  const { cache, events } = cacheOf(good, broken, good);
  const first = await cache.get();
  expect(await cache.get()).toBe(first);
  expect(cache.state).toBe('refresh_failed');
  await cache.get();
  expect(cache.state).toBe('fresh');
  expect(events).toEqual(['config_loaded', 'config_invalid', 'config_loaded']);
});

function textOf(text: string | Error = ''): string {
  if (text instanceof Error) throw text;
  return text;
}
