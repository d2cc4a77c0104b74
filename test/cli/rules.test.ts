import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { expect, test } from 'vitest';
import { signalTypes } from '../../packages/relay/src/features/doubt/signals/index.ts';
import { entryFiles, type Written } from '../archive/entries.ts';
import { httpSink } from '../spec/stage.ts';
import { openTerminal } from './terminal.ts';

const id = (last: number) => `7d0f6d0e-3c1a-4a53-9c0e-${String(last).padStart(12, '0')}`;

const entry = (last: number, message: string, more: Partial<Written> = {}): Written => ({
  id: id(last),
  at: `2026-11-20T10:00:0${last}.000Z`,
  values: { email: ['a@example.com'], message: [message] },
  ...more,
});

/** What looks by itself is off here. */
const noOthers = signalTypes
  .filter(({ isDefault }) => isDefault)
  .map(({ name }) => `${name}: 0`)
  .join(', ');

/** An archive and a config whose one signal that speaks is an rspamd: spam is what says so. */
async function stage(entries: readonly Written[]) {
  const rspamd = await httpSink({
    answer: ({ body }) => {
      const text = Buffer.from(body.split('\r\n\r\n')[1] ?? '', 'base64').toString();
      const score = text.includes('SPAM') ? 10 : 0;
      return { body: JSON.stringify({ required_score: 10, symbols: { BAYES_SPAM: { score } } }) };
    },
  });
  const written = await Promise.all(entries.map(entryFiles));
  const config = `forms:
  contact:
    fields: [{name: email, type: email}, {name: message, type: textarea}]
    spam: {doubt: tag, signals: {${noOthers}, rspamd: {url: "${rspamd.origin}", weight: 6}}}
    outputs: [{type: email, to: a@example.com, mapping: "*"}]
`;
  const files = written
    .flatMap((one) => [...one])
    .map(([path, bytes]) => [`archive/${path}`, bytes.toString('latin1')]);
  const terminal = await openTerminal({ files: { 'webform.yaml': config, ...Object.fromEntries(files) } });
  const replay = async (more = '') => {
    const printed = await terminal.run(`relay rules replay --archive archive --ask-services ${more}`);
    return { ...printed, text: printed.stdout.replaceAll(/ +/g, ' ') };
  };
  return { terminal, rspamd, replay };
}

const three = [entry(1, 'SPAM'), entry(2, 'Hello'), entry(3, 'This is no SPAM')];

test('what was marked makes the report precise', async () => {
  const { terminal, replay } = await stage(three);
  const before = await replay();
  expect(before).toMatchObject({ stderr: '', code: 0 });
  expect(before.text).toContain('contact: 3 submissions, none of them marked\n');
  expect(before.text).toMatch(/^ tag 4 2 0 0 2$/m);
  expect(before.text).toMatch(/^ rspamd 6 2 0 0 2 2$/m);
  expect(before.text).toContain(
    `2 doubted, and not marked yet\n 2026-11-20T10:00:01.000Z ${id(1)} 6 (rspamd 6)\n`,
  );
  expect(before.text).not.toMatch(/precision|recall/);

  const marks = ['1 ham', '1 spam', '2 ham', '3 ham'].map((mark) => mark.split(' '));
  for (const [last, verdict] of marks) {
    expect(await terminal.run(`relay rules mark ${id(Number(last))} ${verdict} --archive archive/`)).toEqual({
      stdout: `${id(Number(last))}  contact  ${verdict}\n`,
      stderr: '',
      code: 0,
    });
  }
  const after = await replay();
  expect(after.text).toContain('contact: 3 submissions, 1 marked as spam, 2 as ham\n');
  expect(after.text).toMatch(/^ tag 4 2 1 1 0$/m);
  expect(after.text).toContain('precision 50 %');
  expect(after.text).toContain('recall 100 %');
  expect(after.text).toContain(
    `1 marked as ham, and doubted: whom these rules would hurt\n 2026-11-20T10:00:03.000Z ${id(3)} 6`,
  );
  expect(after.text).not.toContain('not marked yet');
  // Nothing that a visitor wrote is printed, or stands in the file.
  expect(after.text).not.toMatch(/Hello|a@example/);
  const file = await terminal.run(
    'cat archive.verdicts.jsonl; ls -l archive.verdicts.jsonl | cut -c1-10; ls archive',
  );
  const lines = marks.map(
    ([last, verdict]) => `{"id":"${id(Number(last))}","verdict":"${verdict}","at":"…"}\n`,
  );
  expect(file.stdout.replaceAll(/"at":"[^"]+"/g, '"at":"…"')).toBe(`${lines.join('')}-rw-------\ncontact\n`);
});

test('no service learns of an archive unless its owner says so', async () => {
  const { terminal, rspamd } = await stage(three);
  const { stdout, code } = await terminal.run('relay rules replay --archive archive');
  expect(code).toBe(0);
  expect(stdout).toMatch(/rspamd +6 +not asked$/m);
  expect(rspamd.requests).toEqual([]);
});

test('a sealed archive needs its key to be replayed, and none to be marked', async () => {
  const identity = await generateX25519Identity();
  const sealTo = [await identityToRecipient(identity)];
  const written = await entryFiles(entry(1, 'SPAM', { sealTo }));
  const { terminal, replay } = await stage([]);
  for (const [path, bytes] of written) {
    const base64 = Buffer.from(bytes).toString('base64');
    await terminal.run(`mkdir -p "$(dirname archive/${path})"; echo ${base64} | base64 -d > archive/${path}`);
  }
  await terminal.run(`echo ${identity} > key.txt`);
  expect(await terminal.run(`relay rules mark ${id(1)} spam --archive archive`)).toMatchObject({ code: 0 });
  const shut = await replay();
  expect(shut).toMatchObject({ stdout: 'there is nothing to look at\n', code: 1 });
  expect(shut.stderr).toContain('is sealed; --identity');
  const open = await replay('--identity key.txt');
  expect(open).toMatchObject({ stderr: '', code: 0 });
  expect(open.text).toContain('recall 100 %');
});

test('mistakes are told', async () => {
  const { terminal, replay } = await stage(three);
  const run = async (line: string) => {
    const { stderr, code } = await terminal.run(line);
    return `${code} ${stderr.split('\n')[0]}`;
  };
  expect(await run('relay rules mark nobody spam --archive archive')).toBe(
    '1 no submission in archive has the id nobody; relay archive list shows all of them',
  );
  expect(await run(`relay rules mark ${id(1)} eggs --archive archive`)).toMatch(
    /^2 .*Allowed choices are spam, ham/,
  );
  expect(await run(`relay rules mark ${id(1)} spam --archive nowhere`)).toMatch(/^1 nowhere.*no such folder/);
  expect(await run(`relay rules mark ${id(1)} spam --archive s3://bucket`)).toMatch(
    /^1 name a file .*--verdicts/,
  );
  expect(await run('relay rules replay --archive archive --form contcat')).toMatch(/^1 .*did you mean/);
  expect(await run('relay rules replay --archive archive --verdicts nowhere.jsonl')).toMatch(
    /^1 nowhere.jsonl: /,
  );
  expect(await run('relay rules replay')).toMatch(/^2 .*--archive/);
  expect(await run('ls archive.verdicts.jsonl')).toMatch(/^2 /);

  // A line that was cut off is left out, and takes none with it.
  await terminal.run(`printf '{"id":"${id(2)}","ver' > archive.verdicts.jsonl`);
  await terminal.run(`relay rules mark ${id(1)} spam --archive archive`);
  const told = await replay();
  expect(told.stderr).toBe(`${terminal.cwd}/archive.verdicts.jsonl:1: is no verdict\n1 line left out\n`);
  expect(told.code).toBe(1);
  expect(told.text).toContain('1 marked as spam, 0 as ham');
});
