/** Fields of type repeat, through real HTTP. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { contact, readStrictly, relayWith, smtpSink } from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';

const field = (keys = '') =>
  `[{name: guests, type: repeat, most: 3, item: "Guest {n}"${keys}, fields: [{name: name, required: true}, {name: age, type: number}, {name: meat, type: checkbox, label: Eats meat}]}]`;

type Sent = readonly (readonly [string, string])[];

async function taken(fields: string, values: Sent) {
  const form = await contact({ fields });
  const answer = await form.send(...values);
  const [value] = form.delivered[0]?.find(([name]) => name === 'guests')?.slice(1) ?? [];
  return answer.status === 200 ? value && JSON.parse(value) : (answer.json as { error: string }).error;
}

describe('entries', () => {
  test('added by a script have the initial values, even when the form is shown again', async () => {
    const fields =
      '[{name: guests, type: repeat, fields: [{name: seats, type: number, value: 2}, {name: food, type: radios, options: [fish, rice], value: rice}]}]';
    const form = await contact({ fields });
    const sent: [string, string][] = [['guests.1.seats', 'x']];
    const again = form.submit('contact', sent, { 'hx-request': 'true' });
    for (const { text } of [await form.get('/api/v1/form/contact'), await again]) {
      const [, template = ''] = /<template>(.*)<\/template>/s.exec(text) ?? [];
      expect(template).toMatch(/name="guests\.0\.seats" value="2".*value="rice"[^>]* checked/s);
    }
  });

  test('are delivered as one typed list, without gaps for skipped numbers', async () => {
    const sent: Sent = [
      ['guests.1.name', ''],
      ['guests.2.name', 'Ada'],
      ['guests.2.age', '36'],
      ['guests.2.meat', 'on'],
      ['guests.3.name', 'Grace'],
    ];
    expect(await taken(field(), sent)).toEqual([
      { name: 'Ada', age: 36, meat: true },
      { name: 'Grace', meat: false },
    ]);
  });

  test('must be as many as the config says, whatever their numbers', async () => {
    const two = field(', least: 2');
    expect(await taken(two, [['guests.2.name', 'Ada']])).toBe('guests.1.name: Enter a value.');
    expect(
      await taken(two, Object.entries({ 'guests.2.name': 'Ada', 'guests.3.name': 'Grace' })),
    ).toHaveLength(2);
    expect(await taken(field(', required: true'), [])).toBe('guests.1.name: Enter a value.');
    expect(
      await taken('[{name: guests, type: repeat, least: 2, fields: [{name: name}]}]', [
        ['guests.1.name', 'Ada'],
      ]),
    ).toBe('guests: Fill in at least 2 entries.');
  });

  test('above the limit are reported, because the owner’s own page may send them', async () => {
    for (const number of ['4', '5', '99', '9'.repeat(400)])
      expect(await taken(field(), [[`guests.${number}.name`, 'Ada']])).toBe(
        'guests: Fill in at most 3 entries.',
      );
    expect(await taken(field(), Object.entries({ 'guests.1.name': 'Ada', 'guests.77.name': '' }))).toEqual([
      { name: 'Ada', meat: false },
    ]);
    expect(await taken(field(), [['guests.4.name', '']])).toBeUndefined();
  });

  test.each([
    ...['guests', 'guests.x1.name', 'guests.{n}.name', 'guests.__proto__.name', 'guests.4.other'],
    ...['guests.1.name.name', 'guests..name'],
  ])('%s is ignored', async (name) =>
    expect(await taken(field(), [[name, '[{"name":"forged"}]']])).toBeUndefined(),
  );
});

test('a step is checked with its entries, and no others', async () => {
  const form = await contact({
    fields: `[{name: note, required: true}, {name: guests, type: repeat, least: 1, fields: [{name: name, required: true}, {name: age, type: number}]}]
      , steps: [{title: One, fields: [note]}, {title: Two, fields: [guests]}]`,
  });
  const check = async (step: number, ...sent: Sent) => {
    const answer = await form.post(
      `/api/v1/check/contact?step=${step}`,
      sent.map(([name, value]): [string, string] => [name, value]),
    );
    return answer.status === 422 ? (answer.json as { error: string }).error : answer.status;
  };
  expect(await check(1, ['note', 'x'], ['guests.1.age', 'x'])).toBe(204);
  expect(await check(2)).toBe('guests.1.name: Enter a value.');
  expect(await check(2, ['guests.1.name', 'Ada'], ['guests.2.age', 'x'])).toBe(
    'guests.2.name: Enter a value. guests.2.age: Enter a number, such as 42.',
  );
  expect(await check(2, ['guests.11.name', 'Ada'], ['guests.1.name', 'Ada'])).toBe(
    'guests: Fill in at most 10 entries.',
  );
  expect(await check(2, ['guests.7.name', 'Ada'])).toBe(204);
});

const relayOf = (fields: string, more = '') =>
  relayWith({
    config: `forms: {party: {fields: ${fields}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]${more}}}`,
  });
describe('in HTML', () => {
  test('a rejected form is shown again with everything typed, and says which entry is wrong', async () => {
    const relay = await relayOf(field());
    const answer = await relay.submit(
      'party',
      Object.entries({ 'guests.2.age': 'x', 'guests.2.name': 'Ada', 'guests.3.age': '1' }),
      { 'hx-request': 'true' },
    );
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Guest 3, Name: Enter a value.');
    expect(answer.text).toMatch(
      /name="guests\.2\.name"[^>]* value="Ada"|value="Ada"[^>]* name="guests\.2\.name"/,
    );
  });

  test('JSON bodies may contain the list itself, and errors point into it', async () => {
    const form = await contact({ fields: `${field()}, bodies: [json]` });
    const send = (guests: unknown) =>
      form.submit('contact', JSON.stringify({ guests }), {
        'content-type': 'application/json',
        accept: 'application/problem+json',
      });
    expect((await send([{ name: 'Ada', age: 36, meat: true }, { name: 'Grace' }])).status).toBe(200);
    expect(JSON.parse(form.delivered[0]?.[0]?.[1] ?? '')).toEqual([
      { name: 'Ada', age: 36, meat: true },
      { name: 'Grace', meat: false },
    ]);
    expect((await send([{ name: 'Ada' }, { age: 7 }])).json).toMatchObject({
      errors: [{ field: 'guests.2.name', pointer: '/guests/1/name' }],
    });
  });
});

test('mails have a block per entry, however much of it is filled in', async () => {
  const smtp = await smtpSink();
  const form = await contact({
    fields: field(),
    outputs: `[{type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: a@firm.example, to: b@firm.example, html: true}]`,
  });
  const sent = await form.send(['guests.1.name', 'Ada'], ['guests.1.age', '36'], ['guests.2.name', 'Grace']);
  expect(sent.status).toBe(200);
  const [text, html] = readStrictly(smtp.mails[0]?.raw ?? '').parts;
  expect(text?.text.replaceAll('\r\n', '\n')).toContain(
    `Guests:
  - Guest 1:
        Name: Ada
        Age: 36
  - Guest 2:
        Name: Grace`,
  );
  expect(html?.text).toMatch(/Guest 2:<br>\s(&#160;|\s)+Name: Grace</);
});

test('an archive’s table has a row per entry of each field, with the id of its submission', async () => {
  const terminal = await openTerminal();
  const folder = join(terminal.cwd, 'archive');
  await mkdir(folder);
  const relay = await relayWith({
    config: `forms: {party: {fields: [{name: by}, {name: guests, type: repeat, fields: [{name: name}]}, {name: lines, type: repeat, fields: [{name: thing}, {name: price, type: number}]}], outputs: [{type: folder, path: "${folder}"}]}}`,
  });
  const { status, headers } = await relay.submit('party', [
    ['by', 'Bo'],
    ['guests.1.name', 'Ada'],
    ['guests.2.name', 'Grace'],
    ['lines.1.thing', 'cake'],
    ['lines.1.price', '5'],
    ['lines.2.price', '7'],
  ]);
  expect(status).toBe(200);
  const id = headers.get('x-request-id');
  const [, ...rows] = (await terminal.run('relay archive export --from archive')).stdout
    .trimEnd()
    .split('\r\n');
  expect(rows.map((row) => row.slice(row.indexOf('"party"')))).toEqual([
    `"party","${id}","","Bo","Ada","",""`,
    `"party","${id}","","","Grace","",""`,
    `"party","${id}","","","","cake","5"`,
    `"party","${id}","","","","","7"`,
  ]);
});
