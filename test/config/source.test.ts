import { expect, onTestFinished, test, vi } from 'vitest';
import { fileSource } from '../../src/config/source.ts';

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
