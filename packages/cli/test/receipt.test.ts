import { expect, test } from 'vitest';
import { contentHash, fileHash, publicKeys, receiptCode } from '../../senders/src/receipt/code.ts';
import { openTerminal } from './terminal.ts';

const secret = 'f2a1c09d77e34b18a6d5';
const cv = 'I was a carpenter.';
const at = Date.UTC(2026, 10, 21, 12, 2, 3);
const hash = contentHash([
  ['name', ['Ada']],
  ['topics', ['a', 'b']],
  ['cv', [fileHash(Buffer.from(cv))]],
]);
const code = receiptCode(secret, { form: 'jobs', at, hash });
const all = "name=Ada topics=a 'topics=b' --file cv=cv.txt";

const keys = JSON.stringify({ keys: publicKeys([secret]) });
const run = async (line: string, env: Record<string, string> = { RECEIPT_SECRET: secret }) => {
  const files = { 'cv.txt': cv, 'keys.json': keys, 'other.json': '{"keys": []}' };
  const terminal = await openTerminal({ env: { CODE: code, ...env }, files });
  const { stdout, stderr, code: exit } = await terminal.run(`relay receipt verify ${line}`, ['bash']);
  return { said: stdout + stderr, exit };
};

const genuine = 'genuine: jobs, taken 2026-11-21T12:02:03Z';

test.each([
  ['"$CODE"', genuine],
  [`"$CODE" ${all}`, `${genuine}, for these values`],
  [`--keys keys.json "$CODE" ${all}`, `${genuine}, for these values`],
  ['--keys - "$CODE" < keys.json', genuine],
])('%s', async (line, says) => expect(await run(line)).toEqual({ said: `${says}\n`, exit: 0 }));

test.each([
  ['"$CODE" name=Eve', {}, 'genuine (jobs, taken 2026-11-21T12:02:03Z), but for other values than these'],
  ['x"$CODE"', {}, 'no receipt of this relay'],
  ['nothing', {}, 'no receipt of this relay'],
  ['"$CODE"', { RECEIPT_SECRET: 'another secret' }, 'signed with another key than those of RECEIPT_SECRET'],
  ['"$CODE"', { RECEIPT_SECRET: '' }, 'RECEIPT_SECRET is not set'],
  ['--keys other.json "$CODE"', {}, 'other.json: no public keys of a relay'],
  ['--keys missing.json "$CODE"', {}, 'missing.json'],
  ['"$CODE" --file cv=missing.pdf', {}, 'missing.pdf'],
])('%s fails %j', async (line, env, says) => {
  const { said, exit } = await run(line, { RECEIPT_SECRET: secret, ...env });
  expect(said).toContain(says);
  expect(exit).toBe(1);
});

test('wrong usage', async () => {
  expect((await run('')).exit).toBe(2);
  expect((await run('"$CODE" name')).exit).toBe(2);
});
