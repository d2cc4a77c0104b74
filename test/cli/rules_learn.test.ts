/** `relay rules learn`, and the signal that reads what it wrote. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryFiles } from '../archive/entries.ts';
import { messages } from '../learning/messages.ts';
import { openTerminal } from './terminal.ts';

const key = 'a secret of a test, long enough';

const config = (spam: string) => `forms:
  contact:
    fields: [{name: email, type: email}, {name: message, type: textarea}]
    spam: {doubt: observe, signals: {${spam}}}
    outputs: [{type: folder, path: archive}]
`;

const id = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;

/** An archive of made-up submissions, each of which was marked. */
async function stage(count: number) {
  const made = messages(count, 0.1);
  const entries = await Promise.all(
    made.map(({ texts }, nth) =>
      entryFiles({
        id: id(nth),
        at: new Date(Date.UTC(2026, 10, 20, 10, 0, nth)).toISOString(),
        values: { email: ['ada@example.org'], message: [...texts] },
      }),
    ),
  );
  const files = entries
    .flatMap((one) => [...one])
    .map(([path, bytes]) => [`archive/${path}`, bytes.toString('latin1')]);
  const marks = made.map(({ isSpam }, nth) =>
    JSON.stringify({ id: id(nth), verdict: isSpam ? 'spam' : 'ham', at: '2026-11-21T10:00:00.000Z' }),
  );
  return openTerminal({
    env: { SPAM_MODEL_KEY: key },
    files: {
      'webform.yaml': config('repeated: 1'),
      'learned.yaml': config('learned: {model: spam.model}'),
      'archive.verdicts.jsonl': `${marks.join('\n')}\n`,
      ...Object.fromEntries(files),
    },
  });
}

test('what was marked in an archive becomes a model that a config names', async () => {
  const terminal = await stage(300);
  const learned = await terminal.run('relay rules learn --archive archive');
  expect(learned).toMatchObject({ stderr: '', code: 0 });
  expect(learned.stdout).toMatch(
    /^150 different messages marked as spam, and 150 as none; 0 copies left out\n/,
  );
  expect(learned.stdout).toMatch(/with no false alarm: \d\d of 45 caught \(\d/);
  expect(learned.stdout).toContain('no false alarm among 45 people bounds their rate at 6.7 %');
  expect(learned.stdout).toMatch(/\nwritten: spam\.model\n$/);
  expect((await stat(join(terminal.cwd, 'spam.model'))).mode & 0o777).toBe(0o600);

  expect(await terminal.run('relay config validate --config learned.yaml')).toMatchObject({ code: 0 });
  const explain = async (isSpam: boolean, more = '') => {
    const { texts } = messages(40, 0, 9).find((one) => one.isSpam === isSpam) ?? { texts: [] };
    const words = `relay explain contact --config learned.yaml email=ada@example.org message='${texts[0]}'`;
    return (await terminal.run(`${more}${words}`)).stdout;
  };
  expect(await explain(true)).toMatch(/1\.\d +learned +like 150 marked as spam/);
  expect(await explain(false)).not.toContain('like 150 marked as spam');
  // Of another key, it says nothing.
  expect(await explain(true, 'SPAM_MODEL_KEY=another ')).toContain('was made with another SPAM_MODEL_KEY');

  // Learned anew, it is written over, and is no worse.
  expect(await terminal.run('relay rules learn --archive archive')).toMatchObject({ code: 0 });

  const cut = (await readFile(join(terminal.cwd, 'spam.model'), 'utf8')).slice(0, 5_000);
  await writeFile(join(terminal.cwd, 'spam.model'), cut);
  const broken = await terminal.run('relay config validate --config learned.yaml');
  expect(broken.code).toBe(1);
  expect(`${broken.stdout}${broken.stderr}`).toContain('this is no whole model');
});

test('too few marks are told, and nothing is written unless asked', async () => {
  const terminal = await stage(40);
  const few = await terminal.run('relay rules learn --archive archive');
  expect(few.code).toBe(1);
  expect(few.stdout).toContain(
    'not written: needs 30 different messages of each kind, and there are 20 and 20',
  );
  await expect(stat(join(terminal.cwd, 'spam.model'))).rejects.toThrow('ENOENT');
  const anyway = await terminal.run('relay rules learn --archive archive --anyway --json');
  expect(anyway.code).toBe(0);
  expect(JSON.parse(anyway.stdout)).toMatchObject({ spam: 20, ham: 20, written: 'spam.model' });
});

test('messages come from a file, too; lines that are none are told', async () => {
  const lines = messages(200, 0.1).map(({ texts, isSpam }) =>
    JSON.stringify({ text: texts[0], label: isSpam ? 'spam' : 'human' }),
  );
  const terminal = await openTerminal({
    env: { SPAM_MODEL_KEY: key },
    files: {
      'webform.yaml': config('repeated: 1'),
      'marked.jsonl': [...lines, '{"text": 1}', ''].join('\n'),
    },
  });
  const learned = await terminal.run('relay rules learn --messages marked.jsonl --model own.model');
  expect(learned.stderr).toContain('marked.jsonl:201: has no text and label; left out');
  expect(learned.stdout).toContain('written: own.model');
});

test.each([
  ['', 'name where the marked messages are: --archive, or --messages'],
  ['--messages none.jsonl', 'none.jsonl'],
])('learn %s: %s', async (options, words) => {
  const terminal = await openTerminal({
    env: { SPAM_MODEL_KEY: key },
    files: { 'webform.yaml': config('repeated: 1') },
  });
  const said = await terminal.run(`relay rules learn ${options}`);
  expect(said.code).not.toBe(0);
  expect(said.stderr).toContain(words);
});

test('without a key, it says how to make one', async () => {
  const terminal = await openTerminal({ files: { 'webform.yaml': config('repeated: 1') } });
  const { stderr, code } = await terminal.run('relay rules learn --messages m.jsonl');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('set SPAM_MODEL_KEY to a secret of 16 characters'),
  ]);
});
