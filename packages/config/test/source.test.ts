import { expect, onTestFinished, test, vi } from 'vitest';
import { err, ok } from '../../base/src/result.ts';
import type { ReadFile } from '../../base/src/text_file.ts';
import type { Services } from '../../core/src/services.ts';
import { type Environment, readSettings } from '../../core/src/settings.ts';
import { configSource, fileSource } from '../src/source.ts';

/** A file that has these texts one after the other, written `ageMs` ago; what was waited stands between the readings. */
function source(ageMs: number, ...texts: string[]) {
  const story: string[] = [];
  const { read } = fileSource('webform.yaml', {
    now: () => 1_000_000,
    readFile: async () => {
      const text = texts.shift() ?? '';
      story.push(text);
      return ok({ text, modifiedAt: 1_000_000 - ageMs });
    },
    sleep: async (ms) => void story.push(`${ms} ms`),
  });
  const text = async () => {
    const result = await read();
    return result.ok ? result.value : result.error;
  };
  return { text, story };
}

test.each([250, 86_400_000, -86_400_000])(
  'at the start a file that is %d ms old counts at once',
  async (age) => {
    const { text, story } = source(age, 'a');
    expect(await text()).toBe('a');
    expect(story).toEqual(['a']);
  },
);

test.each([0, 249, -1, -249])(
  'at the start a file that is %d ms old counts when two readings agree',
  async (ageMs) => {
    const { text, story } = source(ageMs, 'a', 'ab', 'abc', 'abc');
    expect(await text()).toBe('abc');
    expect(story).toEqual(['a', '250 ms', 'ab', '100 ms', 'abc', '100 ms', 'abc']);
  },
);

test('a file that changed later counts when two readings agree', async () => {
  const { text, story } = source(1_000, 'a', 'b', 'bc', 'bcd', 'bcd', 'bcd');
  expect([await text(), await text(), await text()]).toEqual(['a', 'bcd', 'bcd']);
  expect(story).toEqual(['a', 'b', '100 ms', 'bc', '100 ms', 'bcd', '100 ms', 'bcd', 'bcd']);
});

test('a file that never rests is no config', async () => {
  const { text } = source(1_000, ...Array.from({ length: 100 }, (_, index) => String(index)));
  await text();
  expect(await text()).toBe('the file keeps changing');
});

test('a file that hangs keeps nobody waiting, is read once, and counts again when it is back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = (text: string) => ok({ text, modifiedAt: 0 });
  let comeBack = (_: Awaited<ReturnType<ReadFile>>) => {};
  const hanging = new Promise<Awaited<ReturnType<ReadFile>>>((resolve) => {
    comeBack = resolve;
  });
  const readings = [Promise.resolve(file('a')), hanging];
  let asked = 0;
  const { read } = fileSource('webform.yaml', {
    readFile: () => readings[asked++] ?? Promise.resolve(file('b')),
    now: Date.now,
    sleep: async () => {},
  });
  expect(await read()).toEqual(ok('a'));
  for (let refresh = 0; refresh < 3; refresh += 1) {
    const late = read();
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await late).toEqual(err('the file could not be read within 8000 ms'));
  }
  expect(asked).toBe(2);
  comeBack(file('a'));
  await vi.advanceTimersByTimeAsync(0);
  expect(await read()).toEqual(ok('b'));
  expect(vi.getTimerCount()).toBe(0);
});

/** A source as the environment sets it, and what it asks of a bucket, which gives these answers in turn. */
function chosen(env: Environment, ...answers: Awaited<ReturnType<Services['readObject']>>[]) {
  const asked: Parameters<Services['readObject']>[0][] = [];
  const from = configSource(readSettings(env), {
    now: Date.now,
    sleep: async () => {},
    readFile: async (path) => ok({ text: `text of ${path}`, modifiedAt: 0 }),
    readObject: async (question) => {
      asked.push(question);
      return answers.shift() ?? 'not_modified';
    },
  });
  return { name: from?.name, read: async () => from?.read(), asked };
}

test.each<[Environment, string | undefined, string | undefined]>([
  [{ CONFIG_INLINE: 'a', CONFIG_FILE: 'b', CONFIG_BUCKET: 'c' }, 'CONFIG_INLINE', 'a'],
  [{ CONFIG_FILE: 'b', CONFIG_BUCKET: 'c' }, 'b', 'text of b'],
  [{ CONFIG_BUCKET: 'c' }, 's3://c/webform.yaml', 'first'],
  [{ CONFIG_BUCKET: 'c', CONFIG_KEY: 'd/e.yaml' }, 's3://c/d/e.yaml', 'first'],
  [{}, undefined, undefined],
])('%j reads from %s', async (env, name, text) => {
  const source = chosen(env, { text: 'first', etag: undefined });
  expect(source.name).toBe(name);
  expect(await source.read()).toEqual(text === undefined ? undefined : ok(text));
});
