import { expect, onTestFinished, test, vi } from 'vitest';
import { configSource, fileSource } from '../../src/config/source.ts';
import type { Effects } from '../../src/effects.ts';
import { type Environment, readSettings } from '../../src/settings.ts';

/** A file that has these texts one after the other; what was waited stands between the readings. */
function source(...texts: string[]) {
  const story: string[] = [];
  const readFile = async () => {
    const text = texts.shift() ?? '';
    story.push(text);
    return text;
  };
  const sleep = async (ms: number) => void story.push(`${ms} ms`);
  return { read: fileSource('webform.yaml', readFile, sleep).read, story };
}

test('the first reading of a file counts at once', async () => {
  const { read, story } = source('a');
  expect(await read()).toBe('a');
  expect(story).toEqual(['a']);
});

test('a file that changed counts when two readings agree (D10)', async () => {
  const { read, story } = source('a', 'b', 'bc', 'bcd', 'bcd', 'bcd');
  expect([await read(), await read(), await read()]).toEqual(['a', 'bcd', 'bcd']);
  expect(story).toEqual(['a', 'b', '100 ms', 'bc', '100 ms', 'bcd', '100 ms', 'bcd', 'bcd']);
});

test('a file that never rests is no config', async () => {
  const { read } = source(...Array.from({ length: 100 }, (_, index) => String(index)));
  await read();
  await expect(read()).rejects.toThrow('the file keeps changing');
});

test('a file that hangs keeps nobody waiting, is asked for once, and counts again when it is back', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let comeBack = (_text: string) => {};
  const hanging = new Promise<string>((resolve) => {
    comeBack = resolve;
  });
  const readings = [Promise.resolve('a'), hanging];
  let asked = 0;
  const { read } = fileSource(
    'webform.yaml',
    () => readings[asked++] ?? Promise.resolve('b'),
    async () => {},
  );
  expect(await read()).toBe('a');
  for (let refresh = 0; refresh < 3; refresh += 1) {
    const late = expect(read()).rejects.toThrow('the file could not be read within 3000 ms');
    await vi.advanceTimersByTimeAsync(3_000);
    await late;
  }
  expect(asked).toBe(2);
  comeBack('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(await read()).toBe('b');
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'the file may not be read by this user'],
  ['EISDIR', 'this is a directory, not a file'],
  ['EIO', 'the file cannot be read'],
  [undefined, 'the file cannot be read'],
])('a file that cannot be had is told in words, without its content: %s', async (code, reason) => {
  const { read } = fileSource('webform.yaml', async () => {
    throw Object.assign(new Error('hunter2'), { code });
  });
  await expect(read()).rejects.toThrow(new Error(reason));
});

/** A source as the environment sets it, and what it asks of a bucket, which gives these answers in turn. */
function chosen(env: Environment, ...answers: Awaited<ReturnType<Effects['readObject']>>[]) {
  const asked: Parameters<Effects['readObject']>[0][] = [];
  const from = configSource(readSettings(env), {
    readFile: async (path) => `text of ${path}`,
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
  expect([source.name, await source.read()]).toEqual([name, text]);
});

test('an object is asked for conditionally after the first read, and less is waited', async () => {
  const { read, asked } = chosen(
    { CONFIG_BUCKET: 'c' },
    { text: 'first', etag: '"1"' },
    'not_modified',
    { text: 'second', etag: '"2"' },
    'not_modified',
  );
  expect([await read(), await read(), await read(), await read()]).toEqual([
    'first',
    'first',
    'second',
    'second',
  ]);
  expect(asked.map(({ bucket, key, etag, timeoutMs }) => [bucket, key, etag, timeoutMs])).toEqual([
    ['c', 'webform.yaml', undefined, 8_000],
    ['c', 'webform.yaml', '"1"', 3_000],
    ['c', 'webform.yaml', '"1"', 3_000],
    ['c', 'webform.yaml', '"2"', 3_000],
  ]);
});

test('"not modified" is no answer to a first read', async () => {
  await expect(chosen({ CONFIG_BUCKET: 'c' }, 'not_modified').read()).rejects.toThrow('to a first read');
});
