/** Fields of type address, through real HTTP. */
import { describe, expect, test } from 'vitest';
import { contact, relayWith, smtpSink } from '../../../test/spec/stage.ts';
import { decodeMail } from '../../../test/support/mail.ts';

const german = '[{name: to, type: address, label: Delivery address, required: true, countries: [DE]}]';
const anywhere = '[{name: to, type: address, required: true}]';

const berlin = [
  ['to.country', 'DE'],
  ['to.line1', 'Hauptstraße 1'],
  ['to.city', 'Berlin'],
] as const;

/** The value that arrives. */
async function taken(fields: string, ...values: (readonly [string, string])[]) {
  const form = await contact({ fields });
  const answer = await form.send(...values);
  const [value] = form.delivered[0]?.find(([name]) => name === 'to')?.slice(1) ?? [];
  return answer.status === 200 ? value && JSON.parse(value) : answer.json;
}

describe('an address', () => {
  test('arrives as one value, in one order', async () => {
    const sent = [
      ['to.postal_code', 'sw1a 1aa'],
      ['to.region', 'Greater London'],
    ] as const;
    expect(JSON.stringify(await taken(anywhere, ...sent, ...berlin, ['to.line2', 'c/o Ada']))).toBe(
      '{"country":"DE","line1":"Hauptstraße 1","line2":"c/o Ada","city":"Berlin","region":"Greater London","postal_code":"sw1a 1aa"}',
    );
  });

  test('is in one of the countries of the config', async () => {
    const [, ...inBerlin] = berlin;
    expect(await taken(german, ...inBerlin, ['to.country', 'FR'])).toEqual({
      error: 'to.country: Choose from the options.',
    });
    expect(await taken(german, ...inBerlin, ['to.country', 'de'])).toMatchObject({ country: 'DE' });
    const optional = german.replace('required: true, ', '');
    expect(await taken(optional, ['to.country', 'DE'])).toBeUndefined();
    const form = await contact({ fields: `${german}, bodies: [json]` });
    const send = (country: string) => {
      const to = { line1: 'Hauptstraße 1', postal_code: '10115', city: 'Berlin', country };
      const headers = { 'content-type': 'application/json', accept: 'application/problem+json' };
      return form.submit('contact', JSON.stringify({ to }), headers);
    };
    expect((await send('FR')).json).toMatchObject({
      errors: [{ field: 'to.country', label: 'Delivery address, Country', pointer: '/to/country' }],
    });
    expect((await send('DE')).status).toBe(200);
  });

  test('is demanded whole once it is begun', async () => {
    const fields = '[{name: to, type: address}]';
    expect(await taken(fields, ['to.country', 'DE'], ['to.postal_code', '10115'])).toEqual({
      error: 'to.line1: Enter your street address. to.city: Enter your town or city.',
    });
    expect(await taken(fields, ...berlin)).toMatchObject({ city: 'Berlin' });
    expect(await taken(anywhere)).toEqual({
      error:
        'to.country: Choose your country. to.line1: Enter your street address. to.city: Enter your town or city.',
    });
  });

  test('stands in mails as on an envelope', async () => {
    const mails = await smtpSink();
    const outputs = `[{type: smtp, host: localhost, port: ${mails.port}, to: a@b.example, mapping: "*"}]`;
    const form = await contact({ fields: anywhere, outputs });
    const more = [
      ['to.postal_code', '10115'],
      ['to.region', 'BE'],
    ] as const;
    expect((await form.send(...berlin, ...more)).status).toBe(200);
    const { text } = decodeMail(mails.mails[0]?.raw ?? '');
    expect(text).toMatch(/Hauptstraße 1\n\tBerlin BE\n\t10115\n\tGermany/);
  });
});

const page = async (fields: string, language = 'en', query = '') => {
  const relay = await relayWith({
    config: `forms: {order: {languages: [en, ${language === 'en' ? 'de' : language}], fields: ${fields}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`,
  });
  return (await relay.get(`/api/v1/form/order?lang=${language}${query}`)).text;
};

const controls = (text: string) => [...text.matchAll(/ name="(to[^"]*)"/g)].map(([, name]) => name);

describe('in HTML', () => {
  test('the parts have tokens for autofill, and a single country is chosen', async () => {
    const text = await page(german.replace('required', 'autocomplete: shipping, required'));
    const order = ['to.country', 'to.line1', 'to.line2', 'to.city', 'to.region', 'to.postal_code'];
    expect(controls(text)).toEqual(order);
    expect(text).toContain('autocomplete="shipping address-level2"');
    expect(text).toMatch(
      /<fieldset class="field field-parts field-address"[^>]*>\s*<legend>Delivery address/,
    );
    expect(text).toContain('<option value="DE" selected>');
    expect(await page(anywhere)).not.toMatch(/<option value="[A-Z]+" selected/);
  });

  test('browsers demand what every address needs', async () => {
    const text = await page(anywhere);
    const demanded = [...text.matchAll(/<(?:input|select)[^>]* name="(to[^"]*)"[^>]* required/g)];
    expect(demanded.map(([, name]) => name)).toEqual(['to.country', 'to.line1', 'to.city']);
  });
});
