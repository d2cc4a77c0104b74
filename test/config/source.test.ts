import { expect, test } from 'vitest';
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
