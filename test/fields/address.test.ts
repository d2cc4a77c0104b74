/** Fields of type address, through real HTTP. */
import { describe, expect, test } from 'vitest';
import { contact, relayWith } from '../spec/stage.ts';

const german = '[{name: to, type: address, label: Delivery address, required: true, country: DE}]';
const anywhere = '[{name: to, type: address, required: true, first: [DE]}]';

const berlin = [
  ['to.line1', 'Hauptstraße 1'],
  ['to.postal_code', '10115'],
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
  test('arrives as one value, with the country that the config fixes', async () => {
    expect(await taken(german, ...berlin)).toEqual({
      line1: 'Hauptstraße 1',
      postal_code: '10115',
      city: 'Berlin',
      country: 'DE',
    });
  });

  test('is in no other country than the config fixes', async () => {
    expect(await taken(german, ...berlin, ['to.country', 'FR'])).toEqual({
      error: 'to.country: Choose from the options.',
    });
    expect(await taken(german, ...berlin, ['to.country', 'de'])).toMatchObject({ country: 'DE' });
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

  test.each([
    ['US', ['Anytown', 'CA', '90210-1234'], undefined],
    ['US', ['Anytown', '', '90210'], 'to.region: Enter your state, province or region.'],
    ['US', ['Anytown', 'CA', '9021'], 'to.postal_code: Enter a valid postal code.'],
    ['gb', ['London', '', 'sw1a 1aa'], undefined],
    ['GB', ['London', '', '12345'], 'to.postal_code: Enter a valid postal code.'],
    ['JP', ['千代田区', '東京都', '〒100-0001'], undefined],
    ['IR', ['تهران', '', ''], undefined],
    ['AE', ['Dubai', 'Dubai', ''], undefined],
    ['HK', ['', '', ''], undefined],
    ['SG', ['', '', '018956'], undefined],
    ['DE', ['Berlin', '', 'D-10115'], undefined],
    ['DE', ['Berlin', '', '١٠١١٥'], undefined],
    ['KE', ['Nairobi', '', '00100'], undefined],
    ['DE', ['Berlin', '', ''], 'to.postal_code: Enter your postal code.'],
    ['XX', ['Berlin', '', '1'], 'to.country: Choose from the options.'],
  ])('in %s takes %j, or says %s', async (country, [city = '', region = '', code = ''], error) => {
    const result = await taken(
      anywhere,
      ['to.country', country],
      ['to.line1', 'One street'],
      ['to.city', city],
      ['to.region', region],
      ['to.postal_code', code],
    );
    if (error) expect(result).toEqual({ error: expect.stringContaining(error) });
    else expect(result).toMatchObject({ line1: 'One street', country: country.toUpperCase() });
  });

  test.each([
    ['DE', '١٠١١٥', '10115'],
    ['DE', ' d-10115 ', 'D-10115'],
    ['JP', '１００−０００１', '100-0001'],
    ['JP', '〒１００ー０００１', '〒100-0001'],
    ['GB', 'sw1a1aa', 'SW1A 1AA'],
    ['CA', 'k1a 0b1', 'K1A 0B1'],
    ['IR', '۱۱۳۶۹', '11369'],
  ])('in %s, the code %s arrives as %s', async (country, typed, delivered) => {
    const sent = { line1: 'One street', city: 'town', region: 'somewhere', postal_code: typed, country };
    const parts = Object.entries(sent).map(([part, value]) => [`to.${part}`, value] as const);
    expect(await taken(anywhere, ...parts)).toMatchObject({ city: 'town', postal_code: delivered });
  });

  test('is demanded whole once it is begun', async () => {
    expect(await taken('[{name: to, type: address}]', ['to.country', 'DE'], ['to.city', 'Berlin'])).toEqual({
      error: 'to.line1: Enter your street address. to.postal_code: Enter your postal code.',
    });
    expect(await taken('[{name: to, type: address, country: DE}]', ...berlin)).toMatchObject({
      city: 'Berlin',
    });
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
  test('the parts stand in the order of the country, with tokens for autofill', async () => {
    const text = await page(german.replace('country', 'autocomplete: shipping, country'));
    expect(controls(text)).toEqual(['to.line1', 'to.line2', 'to.postal_code', 'to.city']);
    expect(text).toContain('autocomplete="shipping address-level2"');
    expect(text).toMatch(
      /<fieldset class="field field-parts field-address"[^>]*>\s*<legend>Delivery address/,
    );
    expect(controls(await page('[{name: to, type: address, country: JP}]'))).toEqual([
      'to.postal_code',
      'to.region',
      'to.city',
      'to.line1',
      'to.line2',
    ]);
    expect(await page('[{name: to, type: address, country: US}]')).toContain('ZIP code');
  });

  test('browsers demand only what no country lacks', async () => {
    const text = await page(anywhere);
    const demanded = [...text.matchAll(/<(?:input|select)[^>]* name="(to[^"]*)"[^>]* required/g)];
    expect(demanded.map(([, name]) => name)).toEqual(['to.country', 'to.line1']);
  });
});
