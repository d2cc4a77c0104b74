import { expect, test } from 'vitest';
import { examineSigningSecrets } from '../src/signing_secrets.ts';
import { diagnose, formWith } from './stage.ts';

const hook = (sign: string) =>
  formWith(`[{type: webhook, url: "https://a.example/", mapping: "*", ${sign}}]`);
const signed = hook(`sign: {secret: '{{ env "HOOK_SECRET" }}'}`);
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test.each([
  ['an output that signs nothing', hook(''), {}, []],
  [
    'a secret',
    signed,
    { HOOK_SECRET: secret },
    [/^ok HOOK_SECRET: a secret of 32 bytes; signs for forms\.contact\.outputs\[0\]\.sign\.secret$/],
  ],
  ['a secret from a file, with its line end', signed, { HOOK_SECRET: `${secret}\n` }, [/^ok HOOK_SECRET/]],
  ['a variable that is not set, which the environment tells', signed, {}, []],
  [
    'a secret that is too short',
    signed,
    { HOOK_SECRET: 'whsec_aHVudGVyMg==' },
    [/^failure HOOK_SECRET: it holds a signing secret of 7 bytes; it needs 24 to 64/],
  ],
])('%s', async (_, config, env, expected) => {
  const lines = await diagnose(examineSigningSecrets, config, { env });
  expect(lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  expect(lines.join()).not.toContain('hunter2');
});
