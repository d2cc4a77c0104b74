import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRelay } from '../../packages/relay/src/index.ts';
import { createLog, DeliveryLine, jsonFormat } from '../../packages/relay/src/telling/log.ts';
import { runs } from '../support/fuzz.ts';

const text = fc.oneof(
  fc.uuid(),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 9 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '"', '\\', '\n', '\u2028', '__proto__', 'a\0b', '\ud800', 'kontakt-für'),
);
const ms = fc.oneof(fc.integer({ min: -5, max: 100_000 }), fc.double());
const delivery = fc
  .tuple(fc.nat({ max: 99 }), text, fc.constantFrom('delivered', 'failed', 'kept', 'skipped'), fc.nat(), ms)
  .chain(([output, type, outcome, tries, ms]) =>
    fc.constantFrom({ output, type, outcome, tries, ms }, { output, type, outcome }),
  );
const line = fc
  .tuple(
    fc.record({ request_id: text, trace_id: text, form: fc.option(text, { nil: undefined }) }),
    fc.constantFrom('delivered', 'kept'),
    ms,
    fc.array(delivery, { maxLength: 4 }),
  )
  .map((given) => new DeliveryLine(...given));

test('a line about deliveries is what JSON.stringify makes of its fields', () => {
  fc.assert(
    fc.property(line, (fields) => {
      expect(`{${fields.toMembers()}}`).toBe(JSON.stringify({ ...fields }));
    }),
    runs(5_000),
  );
});

test('a line begins with its time, level and event', () => {
  const plain = jsonFormat();
  const begin = '{"time":"1970-01-01T00:00:00.000Z","level":"info","event":"submission"';
  expect(plain(0, 'info', 'submission', {})).toBe(`${begin}}\n`);
  fc.assert(
    fc.property(line, (fields) => {
      const members = `{${fields.toMembers()}}`.slice(1);
      expect(plain(0, 'info', 'submission', fields)).toBe(`${begin},${members}\n`);
    }),
    runs(500),
  );
});

test('a relay writes the line of each delivered submission as JSON.stringify would', async () => {
  let lines = '';
  const log = createLog((bytes) => {
    lines += bytes.toString();
    return bytes.length;
  }, Date.now);
  const seen: object[] = [];
  const relay = createRelay({
    config: `forms: {"Ünïcode \\"form\\"": {fields: [{name: name}], outputs: [
      {type: http_post, url: "http://127.0.0.1:9/", mapping: "*"},
      {type: http_post, url: "http://127.0.0.1:9/", mapping: "*", when: {field: name, is: Bob}}]}}`,
    env: {},
    effects: {
      http: async () => ({ status: 200, headers: {}, body: '' }),
      log: (level, event, fields = {}) => {
        if (event === 'submission') seen.push(fields);
        log(level, event, fields);
      },
    },
  });
  for (const name of ['Ada', 'Bob']) {
    const { status } = await relay.handle({
      method: 'POST',
      path: `/api/v1/submit/${encodeURIComponent('Ünïcode "form"')}`,
      query: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(`name=${name}`),
    });
    expect(status).toBe(200);
  }
  await relay.close();
  log.flush();
  const written = lines.split('\n').flatMap((one) => (one.includes('"submission"') ? [JSON.parse(one)] : []));
  expect(seen.map((fields) => fields instanceof DeliveryLine)).toEqual([true, true]);
  expect(written.map(({ time, level, event, ...fields }) => fields)).toEqual(
    seen.map((fields) => JSON.parse(JSON.stringify(fields))),
  );
  expect(
    written.map(({ deliveries }) => deliveries.map(({ outcome }: { outcome: string }) => outcome)),
  ).toEqual([
    ['delivered', 'skipped'],
    ['delivered', 'delivered'],
  ]);
});
