import { expect, test } from 'vitest';
import { examineChats } from '../src/chats.ts';
import { diagnose, formWith } from './stage.ts';

const telegram = formWith(`[{type: telegram, token: '{{ env "TELEGRAM_TOKEN" }}', chat_id: -100}]`);
const malformed =
  /^failure forms\.contact\.outputs\[0\]: `token` holds no token; .*\? -> Nothing is delivered like this\. Copy it anew/;

test.each([
  ['a token', telegram, { TELEGRAM_TOKEN: '123:AA-secret' }, []],
  ['a token from a file, with its line end', telegram, { TELEGRAM_TOKEN: '123:AA-secret\n' }, []],
  ['a variable that is not set, which the environment tells', telegram, {}, []],
  ['another text', telegram, { TELEGRAM_TOKEN: 'hunter2, or so' }, [malformed]],
])('%s', async (_, config, env, expected) => {
  const lines = await diagnose(examineChats, config, { env });
  expect(lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  expect(lines.join()).not.toContain('hunter2');
});
