import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { messages } from '../../learning/test/messages.ts';
import { verdictLine } from '../../stored/src/marks/verdicts.ts';
import { entryFiles, type Written } from '../../stored/test/entries.ts';
import { openTerminal } from './terminal.ts';

const id = (last: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(last).padStart(12, '0')}`;

/** An archive with a submission. */
async function stage(more: Partial<Written> = {}) {
  const written = await entryFiles({
    id: id(1),
    at: '2026-11-20T10:00:01.000Z',
    values: { email: ['a@example.com'], message: ['Hello'] },
    ...more,
  });
  const terminal = await openTerminal();
  for (const [path, bytes] of written) {
    const base64 = Buffer.from(bytes).toString('base64');
    await terminal.run(`mkdir -p "$(dirname archive/${path})"; echo ${base64} | base64 -d > archive/${path}`);
  }
  return terminal;
}

test('a submission is marked, even if sealed, in a file that contains nothing from the visitor', async () => {
  const sealTo = [await identityToRecipient(await generateX25519Identity())];
  for (const terminal of [await stage(), await stage({ sealTo })]) {
    for (const verdict of ['ham', 'spam'])
      expect(await terminal.run(`relay rules mark ${id(1)} ${verdict} --archive archive/`)).toEqual({
        stdout: `${id(1)}  contact  ${verdict}\n`,
        stderr: '',
        code: 0,
      });
    const file = await terminal.run(
      'cat archive.verdicts.jsonl; ls -l archive.verdicts.jsonl | cut -c1-10; ls archive',
    );
    const lines = ['ham', 'spam'].map((verdict) => `{"id":"${id(1)}","verdict":"${verdict}","at":"…"}\n`);
    expect(file.stdout.replaceAll(/"at":"[^"]+"/g, '"at":"…"')).toBe(
      `${lines.join('')}-rw-------\ncontact\n`,
    );
  }
});

test('mistakes are reported', async () => {
  const terminal = await stage();
  const run = async (line: string) => {
    const { stderr, code } = await terminal.run(line);
    return `${code} ${stderr.split('\n')[0]}`;
  };
  expect(await run('relay rules mark nobody spam --archive archive')).toBe(
    '1 no submission in archive has the id nobody; relay archive list shows all submissions',
  );
  expect(await run(`relay rules mark ${id(1)} eggs --archive archive`)).toMatch(
    /^2 .*Allowed choices are spam, ham/,
  );
  expect(await run(`relay rules mark ${id(1)} spam --archive nowhere`)).toMatch(
    /^1 nowhere.*the folder does not exist/,
  );
  expect(await run(`relay rules mark ${id(1)} spam --archive s3://bucket`)).toMatch(
    /^1 give a file .*--verdicts/,
  );
  expect(await run('ls archive.verdicts.jsonl')).toMatch(/^2 /);
});

/** `relay rules learn`, and the signal that reads its model. */

const key = 'a secret of a test, long enough';

const config = (spam: string) => `forms:
  contact:
    fields: [{name: email, type: email}, {name: message, type: textarea}]
    spam: {doubt: observe, signals: {${spam}}}
    outputs: [{type: folder, path: archive}]
`;

const idRulesLearn = (nth: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;

/** An archive of made-up submissions, all of which are marked. */
async function stageRulesLearn(count: number) {
  const made = messages(count, 0.1);
  const entries = await Promise.all(
    made.map(({ texts }, nth) =>
      entryFiles({
        id: idRulesLearn(nth),
        at: new Date(Date.UTC(2026, 10, 20, 10, 0, nth)).toISOString(),
        values: { email: ['ada@example.org'], message: [...texts] },
      }),
    ),
  );
  const files = entries
    .flatMap((one) => [...one])
    .map(([path, bytes]) => [`archive/${path}`, bytes.toString('latin1')]);
  const marks = made.map(({ isSpam }, nth) =>
    JSON.stringify({
      id: idRulesLearn(nth),
      verdict: isSpam ? 'spam' : 'ham',
      at: '2026-11-21T10:00:00.000Z',
    }),
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

test('the marks in an archive are turned into a model that a config names', async () => {
  const terminal = await stageRulesLearn(300);
  const learned = await terminal.run('relay rules learn --archive archive');
  expect(learned).toMatchObject({ stderr: '', code: 0 });
  expect(learned.stdout).toMatch(
    /^150 different messages marked as spam, and 150 as not spam; 0 copies left out\n/,
  );
  expect(learned.stdout).toMatch(/without false alarms: \d\d of 90 caught \(\d/);
  expect(learned.stdout).toContain('to at most 3.3% of other messages from people (95% confidence)');
  expect(learned.stdout).toMatch(/\nwritten: spam\.model\n$/);
  expect((await stat(join(terminal.cwd, 'spam.model'))).mode & 0o777).toBe(0o600);

  expect(await terminal.run('relay config validate --config learned.yaml')).toMatchObject({ code: 0 });
  const explain = async (isSpam: boolean, more = '') => {
    const { texts } = messages(40, 0, 9).find((one) => one.isSpam === isSpam) ?? { texts: [] };
    const words = `relay explain contact --config learned.yaml email=ada@example.org message='${texts[0]}'`;
    return (await terminal.run(`${more}${words}`)).stdout;
  };
  const spam = await explain(true);
  expect(spam).toMatch(/\d\.\d +learned +according to a model trained on 150 spam messages/);
  const spoke = /\npoints towards spam\n {2}(.+)\n/.exec(spam)?.[1]?.split(', ') ?? [];
  expect(spoke.length).toBeGreaterThan(2);
  expect(spoke.length).toBeLessThanOrEqual(8);
  const { texts: [typed] = [] } = messages(40, 0, 9).find(({ isSpam }) => isSpam) ?? {};
  for (const word of spoke) expect(typed?.split(' ')).toContain(word);
  const ham = await explain(false);
  expect(ham).not.toContain('a model trained on 150 spam');
  expect(ham).not.toContain('points towards spam');
  // With another key, the signal cannot use the model.
  expect(await explain(true, 'SPAM_MODEL_KEY=another ')).toContain('was made with another SPAM_MODEL_KEY');

  // Learning again overwrites the model, which is no worse than before.
  expect(await terminal.run('relay rules learn --archive archive')).toMatchObject({ code: 0 });

  const cut = (await readFile(join(terminal.cwd, 'spam.model'), 'utf8')).slice(0, 5_000);
  await writeFile(join(terminal.cwd, 'spam.model'), cut);
  const broken = await terminal.run('relay config validate --config learned.yaml');
  expect(broken.code).toBe(1);
  expect(`${broken.stdout}${broken.stderr}`).toContain(
    ' of 16384 weights; write a new one with relay rules learn',
  );
});

test('a model that the config names is written, and rewritten if it is damaged', async () => {
  const terminal = await stageRulesLearn(300);
  const file = join(terminal.cwd, 'spam.model');
  const learn = () => terminal.run('relay rules learn --archive archive --config learned.yaml');
  expect(await learn()).toMatchObject({ stderr: '', code: 0 });
  const whole = await readFile(file, 'utf8');
  await writeFile(file, whole.slice(0, 5_000));
  expect(await learn()).toMatchObject({ stderr: '', code: 0 });
  expect(await readFile(file, 'utf8')).toHaveLength(whole.length);
});

const learnFrom = async (files: Readonly<Record<string, string>>, options: string) => {
  const terminal = await openTerminal({
    env: { SPAM_MODEL_KEY: key },
    files: { 'webform.yaml': config('repeated: 1'), ...files },
  });
  return terminal.run(`relay rules learn --model own.model ${options}`);
};

const made = messages(200, 0.1).map(({ texts: [text = ''], isSpam }) => ({ text, isSpam }));

test('messages are read from JSON lines', async () => {
  const lines = made.map(({ text, isSpam }) =>
    JSON.stringify({ message: text, label: isSpam ? 'spam' : 'human' }),
  );
  const wrong = ['{"text": 1}', '{"text": "Hello", "label": "maybe"}', '{"text": ', ''];
  const learned = await learnFrom(
    { 'marked.jsonl': [...lines, ...wrong].join('\n') },
    '--messages marked.jsonl',
  );
  const told = [
    'marked.jsonl, line 201: has no text; left out',
    'marked.jsonl, line 202: has no known label; left out',
    'marked.jsonl, line 203: is not JSON; left out',
  ];
  expect(learned).toMatchObject({ stderr: `${told.join('\n')}\n`, code: 1 });
  expect(learned.stdout).toMatch(/^100 different messages marked as spam, and 100 as not spam/);
  expect(learned.stdout).toContain('written: own.model');
});

test('hostile marks are reported, and the current model stays', async () => {
  const terminal = await stageRulesLearn(200);
  // None of these options leaves anything to learn from.
  for (const option of [
    '--since 2099-01-01',
    '--until 2000-01-01',
    '--verdicts none.jsonl',
    '--identity none.txt',
  ])
    expect(await terminal.run(`relay rules learn --archive archive ${option}`), option).toMatchObject({
      code: 1,
    });
  const useless = await terminal.run(
    'relay rules learn --archive archive --since 2099-01-01 --anyway --model any.model',
  );
  expect(useless.stdout).toContain('written anyway: ');
  expect(await terminal.run('relay rules learn --archive archive')).toMatchObject({ code: 0 });
  const before = await readFile(join(terminal.cwd, 'spam.model'), 'utf8');
  const later = messages(60, 0.1, 5);
  for (const [nth, { texts, isSpam }] of later.entries()) {
    const at = new Date(Date.UTC(2026, 10, 21, 10, 0, nth)).toISOString();
    const files = await entryFiles({ id: idRulesLearn(1_000 + nth), at, values: { message: [...texts] } });
    for (const [path, bytes] of files) {
      const file = join(terminal.cwd, 'archive', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
    // Marked the wrong way round.
    const line = verdictLine(idRulesLearn(1_000 + nth), isSpam ? 'ham' : 'spam', Date.now());
    await appendFile(join(terminal.cwd, 'archive.verdicts.jsonl'), line);
  }
  const again = await terminal.run('relay rules learn --archive archive');
  expect(again.code).toBe(1);
  expect(again.stdout).toMatch(
    /\nnot written: marks made since the current model \(\d+\) contradict earlier ones/,
  );
  expect(await readFile(join(terminal.cwd, 'spam.model'), 'utf8')).toBe(before);
});

test.each([
  ['', 'give the marked messages with --archive or --messages'],
  ['--messages none.jsonl', 'none.jsonl: the file does not exist'],
])('learn %s: %s', async (options, words) => {
  const said = await learnFrom({}, options);
  expect(said.code).not.toBe(0);
  expect(said.stderr).toContain(words);
});
