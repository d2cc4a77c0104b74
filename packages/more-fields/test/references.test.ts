/** Fields that refer to each other, through real HTTP. */
import { contact, httpSink, relayWith } from '../../../test/support/index.ts';

const invalid = (error: string) => ({ status: 422, json: { error } });
/** `a=1 b=2`. */
const sent = (words: string) => words.split(' ').map((word) => word.split('=') as [string, string]);

const tooEarly = 'b: Enter a date that is 2030-02-01 or later.';

describe.each([
  [
    '[{name: a, type: email}, {name: b, type: email, same_as: a}]',
    {
      'a=ada@example.org b=ada@example.org': '',
      'a=Ada@example.org b=ada@EXAMPLE.org': '',
      'a=ada@example.org b=ada@example.com': 'b: Enter the same value as in “A”.',
      'a=ada@example.org b=': 'b: Enter the same value as in “A”.',
      'a=ada@example.org': 'b: Enter the same value as in “A”.',
      'a= b=ada@example.org': 'b: Enter the same value as in “A”.',
      'a= b=': '',
      'a=ada@example.org b=ada@example.org b=eve@example.org': 'b: Enter the same value as in “A”.',
      'a=nobody b=nobody':
        'a: Enter an e-mail address like name@example.com. b: Enter an e-mail address like name@example.com.',
    },
  ],
  [
    '[{name: a, type: number, step: any}, {name: b, same_as: a}]',
    {
      'a=1.0 b=1': '',
      'a=1 b=2': 'b: Enter the same value as in “A”.',
      'a=12345678901234567890 b=12345678901234567891': 'b: Enter the same value as in “A”.',
    },
  ],
  [
    '[{name: a}, {name: b, same_as: a}, {name: c, differs_from: a}]',
    {
      'a=Zo\u00eb b=Zoe\u0308': '',
      'a=Zo\u00eb b=\u200bZoë\u2060': '',
      'a=Zo\u00eb b=zoë': 'b: Enter the same value as in “A”.',
      'a=Zo\u00eb b=Zoë c=Zoe\u0308\u200c': 'c: Enter a different value than in “A”.',
    },
  ],
  ['[{name: a, type: time}, {name: b, type: time, same_as: a}]', { 'a=9:05 b=09:05': '' }],
  [
    '[{name: a, type: tel, country: true}, {name: b, type: tel, country: true, same_as: a}]',
    {
      'a=+4930901820 b=+49(0)30/901820': '',
      'a=+4930901820 b=+4930901821': 'b: Enter the same value as in “A”.',
    },
  ],
  [
    '[{name: a, type: select, options: [x, y]}, {name: b, type: radios, options: [x, y], differs_from: a}]',
    { 'a=x b=y': '', 'a=x b=x': 'b: Enter a different value than in “A”.', 'a= b=': '', 'a=x b=': '' },
  ],
  [
    '[{name: a, type: date}, {name: b, type: date, min: a, max: 2030-12-31}]',
    {
      'a=2030-02-01 b=2030-02-01': '',
      'a=2030-02-01 b=2030-01-31': tooEarly,
      'a=２０３０-02-01 b=2030-01-31': tooEarly,
      'a=2030-02-01 a=2030-01-01 b=2030-01-31': tooEarly,
      'a=2030-02-01 b=2031-01-31': 'b: Enter a date that is 2030-12-31 or earlier.',
      'a= b=2030-01-31': '',
      'a=2030-02-01 b=': '',
      'a=2030-02-30 b=2030-01-31': 'a: 2030-02-30 does not exist. Enter another day.',
    },
  ],
  [
    '[{name: a, type: number, step: any, max: b}, {name: b, type: number}]',
    { 'a=9 b=10': '', 'a=9.5 b=10': '', 'a=10 b=9': 'a: Enter a number that is 9 or less.' },
  ],
  [
    '[{name: a, type: time}, {name: b, type: time, min: a, step: 15m}]',
    {
      'a=9:05 b=10:15': '',
      'a=10:20 b=10:15': 'b: Enter a time that is 10:20 or later.',
      'a=9:05 b=10:20': 'b: This cannot be chosen. The nearest choice is 10:15.',
    },
  ],
  [
    '[{name: a, type: datetime}, {name: b, type: datetime, min: a}]',
    {
      'a=2030-01-02T10:00 b=2030-01-02T10:00': '',
      'a=2030-01-02T10:00 b=2030-01-01T23:00': 'b: Enter a time that is 2030-01-02 10:00 or later.',
    },
  ],
  [
    '[{name: a, one_of: [SUMMER, Winter, Zo\u00eb]}]',
    {
      'a=SUMMER': '',
      'a=winter': '',
      'a=\u200bWinter\u2060': '',
      'a=zoe\u0308': '',
      'a=WINTE': 'a: This is not accepted. Check it for typos.',
      'a=': '',
    },
  ],
] as [string, Record<string, string>][])('%s', (fields, cases) => {
  test.each(Object.entries(cases))('%s: %s', async (words, error) => {
    const form = await contact({ fields });
    expect(await form.send(...sent(words))).toMatchObject(error ? invalid(error) : { status: 200 });
  });
});

test('a hidden field neither limits others nor has to be repeated', async () => {
  const form = await contact({
    fields: `[{name: kind}, {name: a, type: date, visible_when: {field: kind, is: trip}}, {name: b, type: date, min: a}]`,
  });
  expect((await form.send(['kind', 'day'], ['a', '2030-02-01'], ['b', '2030-01-01'])).status).toBe(200);
  expect((await form.send(['kind', 'trip'], ['a', '2030-02-01'], ['b', '2030-01-01'])).status).toBe(422);
});

test('codes are delivered as they are listed, and no page contains them', async () => {
  const form = await contact({ fields: '[{name: voucher, one_of: [SUMMER24, Winter24]}]' });
  await form.send(['voucher', ' winter24 ']);
  expect(form.delivered).toEqual([[['voucher', 'Winter24']]]);
  for (const query of ['', '?as=page', '?as=script'])
    expect((await form.get(`/api/v1/form/contact${query}`)).text).not.toMatch(/summer24/i);
});

describe('a group of which one field is required', () => {
  const config = (origin: string, more = '') => `forms: {contact: {${more} bodies: [json],
  fields: [{name: kind}, {name: phone, type: tel}, {name: email, type: email, label: Mail}, {name: fax, visible_when: {field: kind, is: old}}, {name: note}],
  groups: [{legend: How to reach you, fields: [phone, email, fax], required: one}],
  outputs: [{type: http_post, url: "${origin}/", mapping: "*"}]}}`;

  test.each([
    ['note=x', 'phone: Fill in at least one of these: Phone or Mail.'],
    ['fax=1', 'phone: Fill in at least one of these: Phone or Mail.'],
    ['kind=old phone=', 'phone: Fill in at least one of these: Phone, Mail or Fax.'],
    ['kind=old fax=1', ''],
    ['phone=1', ''],
    ['email=x', 'email: Enter an e-mail address like name@example.com.'],
  ])('%s: %s', async (words, error) => {
    const relay = await relayWith({ config: config((await httpSink()).origin) });
    const answer = await relay.submit('contact', sent(words));
    expect(answer).toMatchObject(error ? invalid(error) : { status: 200 });
  });

  test('is explained in the legend, in the visitor’s language', async () => {
    const relay = await relayWith({ config: config('http://127.0.0.1:9', 'language: de,') });
    const { text } = await relay.get('/api/v1/form/contact');
    expect(text).toContain(
      'How to reach you <span class="field-required">(mindestens eine Angabe erforderlich)</span>',
    );
    const again = await relay.submit('contact', [], { 'hx-request': 'true' });
    expect(again.text).toContain('Füllen Sie mindestens eines dieser Felder aus: Phone oder Mail.');
  });
});
