/** Which of several actions a submission gets, as an owner may write them. */
import { describe, expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { hardness, solutionFor } from '../src/proof/challenge.ts';

/** The line of the log about a submission of so many points. */
async function lineOf(doubt: string, program: number, more = '', message = 'Hello', points = program) {
  const sink = await httpSink();
  const { submit, logged } = await relayWith({
    env: { FORM_TOKEN_SECRET: 'a secret of many characters' },
    config: `
forms:
  contact:
    fields: [{name: message, type: textarea}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", aside: also}]
    spam: {doubt: ${doubt}, signals: {program: ${program}, ${more}}}`,
  });
  await submit('contact', [['message', message]], { 'user-agent': 'curl/8.0' });
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
  ['title: Contact', {}],
  ['language: fr', { writing: 1.2 }],
  ['languages: [fr, de]', { writing: 1.2 }],
  ['languages: [fr, en]', {}],
])('the script that a form is written in counts: {%s}', async (keys, signals) => {
  const { submit, logged } = await relayWith({
    config: `
forms:
  contact:
    fields: [{name: message, type: textarea}]
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", on_error: continue}]
    spam: {doubt: {tag: 9}, signals: {writing: 4}}
    ${keys}`,
  });
  await submit('contact', [
    ['message', 'You will have this from me and for the first of you, with our best'],
  ]);
  const line = logged.findLast(({ event }) => event === 'submission');
  const { program: _, ...found } = (line?.signals ?? {}) as Record<string, number>;
  expect(found).toEqual(signals);
});

describe('visitors who solve a challenge', () => {
  const secret = 'a secret of many characters';
  const altcha = () =>
    solutionFor(secret, 'contact', {
      nonce: 'one',
      expiresAt: Date.now() + 60_000,
      most: hardness.challenged,
    });

  async function challenged(doubt: string, message = 'Hello') {
    const sink = await httpSink();
    const { submit, logged } = await relayWith({
      env: { FORM_TOKEN_SECRET: secret },
      config: `
forms:
  contact:
    fields: [{name: message, type: textarea}]
    outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*"}]
    spam: {doubt: ${doubt}, signals: {program: 6}}`,
    });
    const send = async (values: readonly [string, string][]) => {
      const { status } = await submit('contact', [['message', message], ...values], {
        'user-agent': 'curl/8.0',
      });
      return { status, line: logged.findLast(({ event }) => event === 'submission') };
    };
    return { send, sink };
  }

  test('is delivered, and the log says so', async () => {
    const { send, sink } = await challenged('{challenge: 5}');
    const first = await send([]);
    expect(first).toMatchObject({
      status: 422,
      line: { outcome: 'challenged', by: 'doubt', doubt: 'challenge' },
    });
    expect(sink.requests).toHaveLength(0);
    const done = await send([['altcha', altcha()]]);
    expect(done).toMatchObject({ status: 200, line: { outcome: 'delivered', score: 6, solved: true } });
    expect(done.line).not.toHaveProperty('doubt');
    expect(sink.requests.map(({ body }) => body)).toEqual(['message=Hello']);
  });

  test('is marked where the config says that, too; and dropped all the same where it says that', async () => {
    const marked = await challenged('{tag: 2, challenge: 5}', 'Have a look: https://bit.ly/3abc');
    expect(await marked.send([['altcha', altcha()]])).toMatchObject({ line: { solved: true, doubt: 'tag' } });
    expect(new URLSearchParams(marked.sink.requests[0]?.body).get('_doubt')).toBe('9 (program, links)');
    const dropped = await challenged('{challenge: 5, drop: 6}');
    expect((await dropped.send([['altcha', altcha()]])).line).toMatchObject({
      outcome: 'dropped',
      doubt: 'drop',
    });
    expect(dropped.sink.requests).toHaveLength(0);
  });
});
