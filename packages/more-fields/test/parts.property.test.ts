/** A field with several parts delivers no more than its config allows. */
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { contact } from '../../../test/support/index.ts';

const fields = `[
  {name: guests, type: repeat, least: 1, most: 3, fields: [{name: name}, {name: age, type: number}, {name: meat, type: checkbox}]},
  {name: rated, type: grid, rows: [speed, __proto__], options: [good, bad]},
  {name: to, type: address}]`;

const number = fc.oneof(
  fc.integer({ min: -2, max: 6 }).map(String),
  fc.constantFrom(
    ...['01', '1e3', '999999999', '99999999999999999999', '__proto__', 'constructor', '', '१', '1.'],
  ),
  fc.string(),
);
const part = fc.oneof(
  fc.constantFrom('name', 'age', 'meat', '__proto__', 'toString', 'speed', 'country', 'line1'),
  fc.string(),
);
const name = fc.oneof(
  fc.tuple(fc.constantFrom('guests', 'rated', 'to'), number, part).map((steps) => steps.join('.')),
  fc.tuple(fc.constantFrom('guests', 'rated', 'to'), part).map((steps) => steps.join('.')),
  fc.constantFrom('guests', 'rated', 'to'),
);
const value = fc.oneof(
  fc.constantFrom('', '7', 'on', 'good', 'DE', '[{"name":"forged"}]', '{"speed":"bad"}'),
  fc.string(),
);
const json = fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(part, fc.oneof(value, fc.jsonValue()))));

type Form = Awaited<ReturnType<typeof contact>>;

async function check(form: Form, send: () => Promise<{ readonly status: number }>) {
  const before = form.delivered.length;
  const { status } = await send();
  expect([200, 400, 422]).toContain(status);
  if (status !== 200) return expect(form.delivered.length).toBe(before);
  const arrived = new Map(
    (form.delivered.at(-1) ?? []).map(([key, text]) => [key, JSON.parse(text)] as const),
  );
  expect([...arrived.keys()].every((key) => ['guests', 'rated', 'to'].includes(key))).toBe(true);
  const guests: unknown = arrived.get('guests');
  expect(Array.isArray(guests) && guests.length >= 1 && guests.length <= 3).toBe(true);
  for (const guest of guests as object[])
    expect(Object.keys(guest).every((key) => ['name', 'age', 'meat'].includes(key))).toBe(true);
  for (const answer of Object.values(arrived.get('rated') ?? {})) expect(['good', 'bad']).toContain(answer);
  return undefined;
}

const opened = () => contact({ fields: `${fields}, bodies: [json]` });

test('under any names', async () => {
  const form = await opened();
  const sent = fc.array(fc.tuple(name, value), { maxLength: 20 });
  await holds(20, [sent], async (values) => {
    await check(form, () => form.send(...values));
  });
});

test('as any JSON', async () => {
  const form = await opened();
  await holds(20, [json, json, json], async (guests, rated, to) => {
    const body = JSON.stringify({ guests, rated, to });
    await check(form, () => form.submit('contact', body, { 'content-type': 'application/json' }));
  });
});
