/** `relay config validate` looks at the secret that its own environment has. */
import { expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

const config = (spam: string) =>
  `forms: {contact: {fields: [{name: name}], spam: {${spam}}, outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}\n`;
const timed = config('honeypot: website, min_fill_seconds: 3, too_fast: drop');
const said = /FORM_TOKEN_SECRET: .*/;

test.each([
  [' ', 'is nothing but white space'],
  ['x', 'has 1 character, which can be guessed'],
  ['hunter2', 'has 7 characters, which can be guessed'],
])('a FORM_TOKEN_SECRET of %j is warned about', async (secret, weakness) => {
  const { run } = await openTerminal({
    files: { 'webform.yaml': timed, 'other.yaml': config('honeypot: website') },
    env: { FORM_TOKEN_SECRET: secret },
  });
  const { stdout, stderr, code } = await run('relay config validate');
  expect([stdout, said.exec(stderr)?.[0], code]).toEqual(['ok\n', `FORM_TOKEN_SECRET: ${weakness}`, 0]);
  const json = JSON.parse((await run('relay config validate --json')).stdout);
  expect(json.problems).toContainEqual(
    expect.objectContaining({ code: 'weak_token_secret', message: weakness, severity: 'warning' }),
  );
  expect((await run('relay --config other.yaml config validate')).stderr).not.toMatch(said);
});

test.each([[{}], [{ FORM_TOKEN_SECRET: '' }], [{ FORM_TOKEN_SECRET: 'b5f3a9d27c81e604b5f3a9d27c81e604' }]])(
  '%j is not',
  async (env) => {
    const { run } = await openTerminal({ files: { 'webform.yaml': timed }, env });
    expect((await run('relay config validate')).stderr).not.toMatch(said);
  },
);
