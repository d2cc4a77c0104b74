/** Fields of type rating, scale and country, through real HTTP. */
import { describe, expect, test } from 'vitest';
import { contact, httpSink, relayWith } from '../../../test/spec/stage.ts';
import { countryCodes } from '../src/choices/country.ts';

describe.each([
  ['rating', ['1', '5'], ['0', '6', '3.5', '03', '+3', '３', '٣', '۳', ' 3', '3e0', 'three']],
  ['rating, max: 10', ['1', '10'], ['0', '11', '１０']],
  ['scale', ['0', '10'], ['-1', '11', '0.5', '00', '-0', '٠', '۱۰']],
  ['scale, min: 1, max: 7', ['1', '7'], ['0', '8']],
  ['country', ['DE', 'AX', 'ZW'], ['XX', 'UK', 'EU', 'XK', 'DEU', 'Germany', '276', 'D', 'ＤＥ', 'ı', 'DE ']],
  ['country, countries: [DE, AT, NO]', ['DE', 'NO'], ['FR', 'fr']],
] as const)('{type: %s}', (keys, valid, invalid) => {
  test.each(valid)('takes %s', async (value) => {
    const form = await contact({ fields: `[{name: f, type: ${keys}}]` });
    expect((await form.send(['f', value])).status).toBe(200);
    expect(form.delivered).toEqual([[['f', value]]]);
  });

  test.each(invalid)('refuses %s', async (value) => {
    const form = await contact({ fields: `[{name: f, type: ${keys}}]` });
    expect(await form.send(['f', value])).toMatchObject({
      status: 422,
      json: { error: 'f: Choose from the options.' },
    });
    expect(form.delivered).toEqual([]);
  });
});

const fields = `[
  {name: stars, type: rating, label: Your rating},
  {name: nps, type: scale, low: {en: Unlikely, de: Unwahrscheinlich}, high: {en: Likely, de: Wahrscheinlich}},
  {name: land, type: country, countries: [DE, AT, CH, EG, GR]}]`;

const formIn = async (language: string, query = '') => {
  const relay = await relayWith({
    config: `forms: {survey: {languages: ${JSON.stringify([...new Set(['en', 'de', language])])}, fields: ${fields}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`,
  });
  return (await relay.get(`/api/v1/form/survey?lang=${language}${query}`)).text;
};

describe('in HTML', () => {
  test('a star is a radio button that says its number, in each language', async () => {
    const names = async (language: string) =>
      [
        ...(await formIn(language)).matchAll(/name="stars" value="\d"> <span class="choice-words">(.*?)</g),
      ].map(([, name]) => name);
    expect(await names('en')).toEqual(['1 star', '2 stars', '3 stars', '4 stars', '5 stars']);
    expect(await names('pl')).toEqual(['1 gwiazdka', '2 gwiazdki', '3 gwiazdki', '4 gwiazdki', '5 gwiazdek']);
    expect((await names('ar')).slice(0, 3)).toEqual(['نجمة واحدة', 'نجمتان', '3 نجوم']);
  });

  test('the words of a scale belong to its ends', async () => {
    const text = await formIn('de');
    expect(text).toContain(
      'value="0"> <span class="choice-words">0</span> <span class="scale-words">Unwahrscheinlich<',
    );
    expect(text).toContain(
      'value="10"> <span class="choice-words">10</span> <span class="scale-words">Wahrscheinlich<',
    );
    expect(text.match(/scale-words/g)).toHaveLength(2);
  });

  test('numbers have the digits of the language', async () => {
    expect(await formIn('ar-EG')).toContain('value="10"> <span class="choice-words">١٠<');
  });

  test('countries have their names, in the order of the language', async () => {
    const names = async (language: string) =>
      [...(await formIn(language)).matchAll(/<option value="[A-Z]+">(.*?)</g)].map(([, name]) => name);
    expect(await names('en')).toEqual(['Austria', 'Egypt', 'Germany', 'Greece', 'Switzerland']);
    expect(await names('de')).toEqual(['Ägypten', 'Deutschland', 'Griechenland', 'Österreich', 'Schweiz']);
    expect(await names('sv')).toEqual(['Egypten', 'Grekland', 'Schweiz', 'Tyskland', 'Österrike']);
  });
});

describe('in outputs', () => {
  test('a country in small letters is sent in capitals', async () => {
    const form = await contact({ fields: '[{name: f, type: country}]' });
    expect((await form.send(['f', 'de'])).status).toBe(200);
    expect(form.delivered).toEqual([[['f', 'DE']]]);
  });

  test.each([
    ['de', 'Österreich', '4 von 5', '0 von 10'],
    ['fr', 'Autriche', '4 sur 5', '0 sur 10'],
    ['ja', 'オーストリア', '5 点中 4 点', '10 点中 0 点'],
  ])('JSON has numbers, people read words, in %s', async (language, country, stars, nps) => {
    const sink = await httpSink({ answer: () => ({ body: 'ok' }) });
    const relay = await relayWith({
      config: `
forms:
  survey:
    language: ${language}
    bodies: [json]
    fields: [{name: stars, type: rating}, {name: nps, type: scale}, {name: land, type: country}]
    outputs:
      - {type: webhook, url: "${sink.origin}/json", mapping: "*"}
      - {type: slack, url: "${sink.origin}/chat"}`,
    });
    const answer = await relay.request('/api/v1/submit/survey', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ stars: 4, nps: 0, land: 'at' }),
    });
    expect(answer.status).toBe(200);
    const bodyAt = (path: string) =>
      sink.requests.find(({ url }) => url === path)?.bytes.toString('utf8') ?? '';
    expect(JSON.parse(bodyAt('/json'))).toEqual({ stars: 4, nps: 0, land: 'AT' });
    for (const words of [country, stars, nps]) expect(bodyAt('/chat')).toContain(words);
  });
});

describe('countries', () => {
  test('are those of ISO 3166-1 that Intl has names for', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect(countryCodes).toHaveLength(249);
    expect(countryCodes.filter((code) => !names.of(code))).toEqual([]);
    // Intl replaces withdrawn codes.
    expect(countryCodes.filter((code) => new Intl.Locale(`und-${code}`).region !== code)).toEqual([]);
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const others = letters
      .flatMap((one) => letters.map((other) => one + other))
      .filter((code) => names.of(code) && new Intl.Locale(`und-${code}`).region === code)
      .filter((code) => !countryCodes.includes(code));
    // Reserved codes, groups of countries, and codes that ISO leaves to its users.
    expect(others.join(' ')).toBe('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ');
  });
});
