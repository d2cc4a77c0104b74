/** Fields whose values are addresses that mails or replies go to, through the front door. */
import { describe, expect, test } from 'vitest';
import { relayWith, smtpSink, warningsOf } from '../../../test/spec/stage.ts';

const unusable = 'No mail can be sent to this address. Enter another one.';

/** A form with one mail output. */
async function contact(fields: string, keys: string, more = '') {
  const sink = await smtpSink();
  const output = `{type: smtp, host: 127.0.0.1, port: ${sink.port}, from: site@example.com, mapping: "*", retries: 0, ${keys}}`;
  const relay = await relayWith({
    config: `forms: {contact: {fields: ${fields}, outputs: [${output}]${more}}}`,
    env: { FORM_TOKEN_SECRET: 'f'.repeat(40), PUBLIC_URL: 'https://forms.example.com' },
  });
  const send = async (...values: [string, string][]) => {
    const { status, json } = await relay.submit('contact', values, { accept: 'application/problem+json' });
    return { status, errors: (json as { errors?: readonly object[] }).errors };
  };
  return { send, sink, mails: () => sink.mails.map(({ envelope }) => envelope.to) };
}

const email = '[{name: email, type: email}]';
const text = '[{name: email}]';
const toVisitor = "to: '{{ .fields.email }}'";
const office = 'to: office@example.com';
const reply = `${office}, reply_to: '{{ .fields.email }}'`;

const never = [
  'a b@example.org',
  '"a b"@example.org',
  'a@b,c',
  '<a>@b',
  'jörg@example.org',
  'a@b_c.example',
  'a@-b.example',
  'a..b@example.org',
  '.a@example.org',
  'a@192.0.2.1',
  '-oQ@example.org',
  'a@example.org\r\nBcc: b@example.org',
];

describe('an address that no mail can go to is an error of its field', () => {
  test.each([
    ['an output’s only recipient', email, toVisitor, ''],
    ['one of several', email, "to: 'office@example.com, {{ .fields.email }}'", ''],
    ['a recipient with a name', email, "to: 'Customer <{{ .fields.email }}>'", ''],
    ['a recipient in lower case', email, "to: '{{ lower (trim .fields.email) }}'", ''],
    ['a recipient by `values`', email, `to: '{{ values "email" }}'`, ''],
    ['a recipient with a default', email, `to: '{{ default "office@example.com" .fields.email }}'`, ''],
    ['a field of type text', text, toVisitor, ''],
    ['the address for replies', email, reply, ''],
    [
      'the recipient of a confirmation',
      email,
      office,
      ', confirmation_mail: {to: email, subject: A, text: B}',
    ],
    [
      'the address to confirm',
      '[{name: email, type: email, required: true}]',
      office,
      ', double_opt_in: {to: email, subject: A, text: B}',
    ],
  ])('where it is %s', async (_, fields, keys, more) => {
    const { send, sink } = await contact(fields, keys, more);
    for (const address of never) {
      const { status, errors } = await send(['email', address]);
      const code = fields !== text && !/^[^@]+@[^@]+$/.test(address) ? 'not_an_email' : 'no_mail_address';
      expect([status, errors], address).toMatchObject([422, [{ field: 'email', code }]]);
      if (code === 'no_mail_address') expect(errors).toMatchObject([{ message: unusable }]);
    }
    expect(sink.mails).toEqual([]);
    expect((await send(['email', 'info@bücher.example'])).status).toBeLessThan(300);
  });

  test.each([
    [
      'a part of the only recipient',
      '[{name: dept}]',
      "to: '{{ .fields.dept }}@example.com'",
      'a b',
      'sales',
    ],
    [
      'the only recipient, and missing',
      '[{name: dept, type: email}]',
      "to: '{{ .fields.dept }}'",
      '',
      'a@b.example',
    ],
    [
      'the only recipient, and no choice',
      '[{name: dept, type: select, options: [a@b.example]}]',
      "to: '{{ .fields.dept }}'",
      '',
      'a@b.example',
    ],
  ])('where it is %s', async (_, fields, to, wrong, right) => {
    const { send, sink } = await contact(fields, to);
    expect(await send(['dept', wrong])).toMatchObject({ status: 422, errors: [{ field: 'dept' }] });
    expect(sink.mails).toEqual([]);
    expect((await send(['dept', right])).status).toBe(200);
    expect(sink.mails).toHaveLength(1);
  });
});

describe('several values of a field', () => {
  test('are a recipient each where the config lists them', async () => {
    const fields =
      '[{name: dept, type: checkboxes, options: [sales@example.com, support@example.com, hr@example.com]}]';
    const { send, mails } = await contact(fields, "to: '{{ .fields.dept }}'");
    expect((await send(['dept', 'sales@example.com'], ['dept', 'hr@example.com'])).status).toBe(200);
    expect(mails()).toEqual([['sales@example.com', 'hr@example.com']]);
    expect((await send(['dept', 'sales@example.com'], ['dept', 'eve@example.org'])).status).toBe(422);
  });
});

test('a config that mails to a field of another type is warned about', async () => {
  const output = (keys: string) =>
    `{type: smtp, host: mail.firm.org, from: a@firm.org, mapping: "*", ${keys}}`;
  const config = (fields: string, keys: string) =>
    `forms: {contact: {fields: ${fields}, outputs: [${output(keys)}]}}`;
  const says = 'the value of "email" must be an address here; type: email on the field';
  expect(await warningsOf(config(text, toVisitor))).toContain(`outputs[0].to: ${says}`);
  expect(await warningsOf(config(text, "to: a@firm.org, reply_to: '{{ .fields.email }}'"))).toContain(
    `outputs[0].reply_to: ${says}`,
  );
  expect(await warningsOf(config(email, toVisitor))).toBe('');
});
