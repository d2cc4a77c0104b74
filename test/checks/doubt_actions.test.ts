/** Which of several actions a submission gets, as an owner may write them. */
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../spec/stage.ts';

/** What became of a submission of 6 points. */
async function ofSixPoints(doubt: string) {
  const sink = await httpSink();
  const { submit, logged } = await relayWith({
    env: { FORM_TOKEN_SECRET: 'a secret of many characters' },
    config: `
forms:
  contact:
    fields: [{name: message, type: textarea}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", aside: also}]
    spam: {doubt: ${doubt}, signals: {program: 6}}`,
  });
  await submit('contact', [['message', 'Hello']], { 'user-agent': 'curl/8.0' });
  const line = logged.findLast(({ event }) => event === 'submission');
  expect(line?.score).toBe(6);
  return line?.doubt;
}

test.each([
  ['{tag: 5, challenge: 6}', 'challenge'],
  ['{challenge: 5, aside: 6}', 'aside'],
  ['{tag: 5, challenge: 5}', 'challenge'],
  ['{observe: 5, tag: 5}', 'tag'],
  ['{challenge: 5, drop: 5}', 'drop'],
  // A mark, or a line in the log, goes with everything else.
  ['{tag: 6, challenge: 5}', 'challenge'],
  ['{observe: 6, aside: 5}', 'aside'],
  ['{tag: 7, observe: 5}', 'observe'],
])('%s: %s', async (doubt, action) => {
  expect(await ofSixPoints(doubt)).toBe(action);
});
