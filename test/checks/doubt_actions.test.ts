/** Which of several actions a submission gets, as an owner may write them. */
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../spec/stage.ts';

/** The line of the log about a submission of so many points. */
async function lineOf(doubt: string, points: number) {
  const sink = await httpSink();
  const { submit, logged } = await relayWith({
    env: { FORM_TOKEN_SECRET: 'a secret of many characters' },
    config: `
forms:
  contact:
    fields: [{name: message, type: textarea}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", aside: also}]
    spam: {doubt: ${doubt}, signals: {program: ${points}}}`,
  });
  await submit('contact', [['message', 'Hello']], { 'user-agent': 'curl/8.0' });
  const line = logged.findLast(({ event }) => event === 'submission');
  expect(line?.score).toBe(points);
  return line;
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
  expect((await lineOf(doubt, 6))?.doubt).toBe(action);
});

test.each([
  [1, '1 point: drop; program 1 ('],
  [1.5, '1.5 points: drop; program 1.5 ('],
])('of %d points, the log says why', async (points, says) => {
  expect((await lineOf('{drop: 1}', points))?.reason).toContain(says);
});
