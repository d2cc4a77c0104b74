/** The effect of a model's points on a submission, whatever it learned. */
import { expect, test } from 'vitest';
import { relayWith } from '../../../test/spec/stage.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { writeModel } from '../../spam/src/lists/model.ts';
import { train } from '../src/train.ts';
import { lessonsOf, messages, seeds } from './messages.ts';

/** A model that counts all of its weight for any spam. */
const model = {
  ...train(lessonsOf(messages(100, 0), seeds).lessons),
  ...{
    check: seeds.check,
    spam: 50,
    ham: 50,
    people: 599,
    reached: 0,
    tried: 30,
    caught: 29,
    madeAt: 1_790_000_000_000,
  },
  steps: [{ from: 0, strength: 1 }],
};
const [{ texts: ofSpam } = { texts: [] }] = messages(1, 0, 3);

/** Submits a spam to a form of its own. */
async function judge(people: number, doubt: string, headers: Record<string, string>) {
  const env = {
    SPAM_MODEL_KEY: 'a fixed key of a test',
    FORM_TOKEN_SECRET: 'a secret of a test, long enough',
  };
  const config = `forms:
  contact:
    fields: [{name: message, type: textarea}]
    spam: {doubt: ${doubt}, signals: {learned: {model: spam.model, weight: 30}}}
    outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*", on_error: continue}]
`;
  const files = { 'webform.yaml': config, 'spam.model': writeModel({ ...model, people }) };
  const { cwd } = await openTerminal({ env, files });
  const relay = await relayWith({
    env: { ...env, CONFIG_FILE: `${cwd}/webform.yaml` },
    effects: { http: async () => ({ status: 200, headers: {}, body: '' }) },
  });
  await relay.submit('contact', [['message', ofSpam.join('\n')]], headers);
  const line = relay.logged.findLast(({ event }) => event === 'submission');
  return [(line?.signals as Record<string, number> | undefined)?.learned, line?.doubt];
}

const browser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'accept-language': 'en',
  accept: '*/*',
};
const program = { 'user-agent': 'curl/8' };

test.each([
  ['below every action until 600 people were tried', 599, '{tag: 4, drop: 9}', browser, 3.9, undefined],
  ['below the mildest action, whichever that is', 599, '{drop: 6}', browser, 5.9, undefined],
  ['but they add to those of other signals', 599, '{observe: 1, tag: 4, drop: 9}', program, 3.9, 'tag'],
  ['as they are, if nothing but the log has them', 599, '{observe: 4}', browser, 30, 'observe'],
  ['below `drop` always', 600, '{tag: 4, drop: 9}', browser, 8.9, 'tag'],
  ['as they are without `drop`', 600, '{tag: 4}', browser, 30, 'tag'],
] as const)('the points stay %s', async (_, people, doubt, headers, points, action) => {
  expect(await judge(people, doubt, headers)).toEqual([points, action]);
});
