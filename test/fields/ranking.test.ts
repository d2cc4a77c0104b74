/** Fields of type ranking, through real HTTP. */
import { expect, test } from 'vitest';
import { contact, httpSink, relayWith } from '../spec/stage.ts';

const options = '[{value: c, label: Coffee}, {value: t, label: Tea}, {value: w, label: Water}]';
const fields = (more = '') => `[{name: f, type: ranking, options: ${options}${more}}]`;
const places = (...values: string[]) => values.map((value) => ['f', value] as const);

test('delivers the options in the order of their places', async () => {
  const form = await contact({ fields: fields() });
  expect((await form.send(...places('w', 'c', 't'))).status).toBe(200);
  expect(form.delivered).toEqual([places('w', 'c', 't')]);
});

const incomplete = 'f: Choose one option for each of the 3 places.';

test.each([
  [['w', 'w', 't'], 'f: “Water” has two places. Give each option one place.'],
  [['w', 'w', 'w', 't', 'c'], 'f: “Water” has two places. Give each option one place.'],
  [['w', '', 't'], incomplete],
  [['w'], incomplete],
  [['w', 'c', 'x'], 'f: Choose from the options.'],
  [['w', 'c', 't', 'x'], 'f: Choose from the options.'],
  [['w,c,t'], 'f: Choose from the options.'],
] as const)('refuses %j', async (values, error) => {
  const form = await contact({ fields: fields() });
  expect(await form.send(...places(...values))).toMatchObject({ status: 422, json: { error } });
  expect(form.delivered).toEqual([]);
});

test('may be left out as a whole, unless it is required', async () => {
  const form = await contact({ fields: fields() });
  expect((await form.send(...places('', '', ''))).status).toBe(200);
  const demanded = await contact({ fields: fields(', required: true') });
  for (const values of [[], ['', '', '']])
    expect(await demanded.send(...places(...values))).toMatchObject({
      status: 422,
      json: { error: incomplete },
    });
});

test('has a list for each place, which keep what was chosen', async () => {
  const form = await contact({ fields: fields() });
  const { text } = await form.submit(
    'contact',
    places('t', 't', 'w').map(([name, value]) => [name, value]),
    { 'hx-request': 'true' },
  );
  const lists = text.match(/<select[^>]*name="f"[\s\S]*?<\/select>/g) ?? [];
  expect(lists.map((one) => /value="(\w)" selected/.exec(one)?.[1])).toEqual(['t', 't', 'w']);
  expect(text).toMatch(/<span>Place 3<\/span>/);
});

test('JSON has a list, and people read numbered lines', async () => {
  const sink = await httpSink({ answer: () => ({ body: 'ok' }) });
  const relay = await relayWith({
    config: `
forms:
  survey:
    bodies: [json]
    fields: ${fields()}
    outputs:
      - {type: webhook, url: "${sink.origin}/json", mapping: "*"}
      - {type: slack, url: "${sink.origin}/chat"}`,
  });
  const answer = await relay.request('/api/v1/submit/survey', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ f: ['t', 'w', 'c'] }),
  });
  expect(answer.status).toBe(200);
  const bodyAt = (path: string) => sink.requests.find(({ url }) => url === path)?.bytes.toString() ?? '';
  expect(JSON.parse(bodyAt('/json'))).toEqual({ f: ['t', 'w', 'c'] });
  expect(bodyAt('/chat')).toMatch(/1\. Tea.*2\. Water.*3\. Coffee/s);
});
