/** Fields of parts in links of the owner's: what is locked holds, and the rest can be changed. */
import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import { sealLink } from '../../senders/src/links/sealed_link.ts';

const env = { FORM_TOKEN_SECRET: 'not so secret' };

async function open(locked: readonly string[], more: readonly (readonly [string, string[]])[] = []) {
  const sink = await httpSink();
  const relay = await relayWith({
    env,
    config: `forms: {order: {links: required, fields: [{name: name}, {name: to, type: address, countries: [DE]},
      {name: guests, type: repeat, fields: [{name: who}, {name: age, type: number}, {name: vegan, type: checkbox, checked_value: "yes"}]},
      {name: m, type: grid, rows: [x, y], options: [u, v]}],
      outputs: [{type: webhook, url: "${sink.origin}/", mapping: "*"}]}}`,
  });
  const values = new Map([
    ['to', ['{"country":"DE","line1":"X 1","city":"Berlin","postal_code":"10115"}']],
    ['guests', ['[{"who":"Bob","age":3,"vegan":true}]']],
    ['m', ['{"x":"u"}']],
    ...more,
  ]);
  const link = { until: Date.now() + 3_600_000, values, locked };
  return { relay, sink, fill: sealLink(env.FORM_TOKEN_SECRET, 'order', link, 'fresh') };
}

const forged = { 'guests.1.who': 'Mallory', 'guests.2.who': 'Eve', 'to.city': 'Paris', 'm.x': 'v', to: '{}' };

test('locked ones are delivered, whatever is sent', async () => {
  const { relay, sink, fill } = await open(['to', 'guests', 'm']);
  const page = (await relay.get(`/api/v1/form/order?as=page&fill=${fill}`)).text;
  expect(page).toContain('name="guests.1.who" value="Bob"');
  expect(page).toContain('Berlin');
  for (const sent of [{}, forged]) {
    const answer = await relay.submit('order', Object.entries<string>({ name: 'Ada', fill, ...sent }));
    expect(answer.status).toBe(200);
    expect(JSON.parse(sink.requests.at(-1)?.bytes.toString() ?? '')).toEqual({
      name: 'Ada',
      to: { line1: 'X 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
      guests: [{ who: 'Bob', age: 3, vegan: true }],
      m: { x: 'u' },
    });
  }
});

test('others are filled in, and can be changed', async () => {
  const { relay, fill } = await open([]);
  const page = (await relay.get(`/api/v1/form/order?as=page&fill=${fill}`)).text;
  expect(page).toMatch(/name="to.city"[^>]* value="Berlin"/);
  expect(page).toMatch(/name="guests.1.who"[^>]* value="Bob"/);
  expect(page).toMatch(/name="m.x"[^>]* value="u"[^>]* checked/);
});

test('a locked value from before its field had parts is left out', async () => {
  const { relay, sink, fill } = await open(['to'], [['to', ['X 1, Berlin']]]);
  expect((await relay.get(`/api/v1/form/order?as=page&fill=${fill}`)).status).toBe(200);
  const answer = await relay.submit('order', Object.entries<string>({ name: 'Ada', fill, ...forged }));
  expect([answer.status, sink.requests[0]?.bytes.toString()]).toEqual([
    200,
    expect.not.stringContaining('Paris'),
  ]);
});
