import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contact, httpSink, relayWith, tempFolder, warningsOf } from '../../../test/support/index.ts';
import { loadTexts, writtenLanguages } from '../../../test/support/languages.ts';
import { printForm } from '../../cli/src/commands/form.ts';

const outputs = 'outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]';
const htmx = { 'hx-request': 'true' };

const started = (config: string) =>
  relayWith({ config, env: { FORM_TOKEN_SECRET: 'a long enough secret 7' } });

describe('a form in one language', () => {
  test.each(writtenLanguages)('reports errors in its language: %s', async (language) => {
    const texts = await loadTexts(language);
    const { submit, get } = await started(
      `forms: {contact: {language: ${language}, fields: [{name: name, required: true}], ${outputs}}}`,
    );
    const answer = await submit('contact', [['name', '']], htmx);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(texts.missing);
    expect(answer.text).toContain(`>${texts.submit}</button>`);
    const direction = ['ar', 'he'].includes(language) ? 'rtl' : 'ltr';
    expect(answer.text).toContain(` lang="${language}" dir="${direction}"`);
    const shown = await get('/api/v1/form/contact?as=page');
    expect(shown.text).toContain(`<html lang="${language}" dir="${direction}">`);
    expect(shown.headers.get('content-language')).toBe(language);
    // There is no choice of language.
    expect(shown.headers.get('vary')).not.toContain('Accept-Language');
    expect(shown.text).not.toContain('?lang=');
  });

  test.each(['ar', 'he', 'de'])('a response without the form names its language: %s', async (language) => {
    const { submit, post } = await started(
      `forms: {contact: {language: ${language}, failure_message: Call us., fields: [{name: name}], ${outputs}}}`,
    );
    const direction = language === 'de' ? 'ltr' : 'rtl';
    const failed = await submit('contact', [['name', 'Ada']], htmx);
    expect(failed.status).toBe(500);
    expect(failed.text).toMatch(
      new RegExp(
        `^<ul class="form-errors" lang="${language}" dir="${direction}"><li>.*<li>Call us.</li></ul>`,
      ),
    );
    const plain = { 'content-type': 'text/plain', accept: 'text/html' };
    const page = await post('/api/v1/submit/contact?as=page', 'name=Ada', plain);
    expect(page.status).toBe(400);
    expect(page.text).toContain(`<html lang="${language}" dir="${direction}">`);
    // The page names its language.
    expect(page.text).toContain('<ul class="form-errors"><li>');
  });

  test('top-level keys are for all forms, and a form’s own keys take precedence', async () => {
    const { get } = await started(`
language: de
messages: {back: Zurück bitte, submit: Los}
forms:
  one: {fields: [], ${outputs}}
  two: {fields: [], messages: {submit: Weg}, ${outputs}}
  three: {language: fr, messages: {fr: {submit: Allez}}, fields: [], ${outputs}}
`);
    expect((await get('/api/v1/form/one')).text).toContain('>Los</button>');
    expect((await get('/api/v1/form/two')).text).toContain('>Weg</button>');
    expect((await get('/api/v1/form/three')).text).toContain('lang="fr"');
    expect((await get('/api/v1/form/three')).text).toContain('>Allez</button>');
  });

  test('the owner’s texts take precedence over those of the language', async () => {
    const { get, submit } = await contact({
      fields: '[]',
      keys: 'language: de, confirmation: Merci, submit_label: Hopp',
    });
    expect((await get('/api/v1/form/contact')).text).toContain('>Hopp</button>');
    expect((await submit('contact', [], htmx)).text).toBe(
      '<div class="form-confirmation" lang="de" dir="ltr">Merci</div>\n',
    );
  });

  test('numbers and dates in the texts have the usual format of the language', async () => {
    const fields =
      '[{name: share, type: number, min: 0.5, step: any}, {name: day, type: date, min: 2030-12-31}]';
    const { submit } = await started(`forms: {contact: {language: de, fields: ${fields}, ${outputs}}}`);
    const { text } = await submit('contact', 'share=0.1&day=2030-01-01', htmx);
    expect(text).toContain('0,5');
    expect(text).toContain('31.12.2030');
    // HTML attributes keep their own format.
    expect(text).toContain('min="2030-12-31"');
  });
});

const several = `
languages: [de, en, ar]
forms:
  contact:
    title: {de: Kontakt, en: Contact, ar: اتصل بنا}
    confirmation: {de: Danke sehr., en: Many thanks., ar: شكراً جزيلاً.}
    fields:
      - name: name
        required: true
        pattern: '[a-z]+'
        label: {de: Vorname, en: First name, ar: الاسم}
        help: {de: nur klein, en: small letters, ar: أحرف صغيرة}
        placeholder: {de: ada, en: ada, ar: ada}
      - name: kind
        type: radios
        label: {de: Art, en: Kind, ar: نوع}
        options: [{value: de, label: {de: Eins, en: One, ar: واحد}}, {value: en}]
    outputs:
      - {type: http_post, url: $sink, mapping: {de: name, en: kind}, static: {ar: {{ .form.id }}}}
`.replace('{{ .form.id }}', "'{{ .form.id }}'");

describe('a form in several languages', () => {
  const startedWithSink = async () => {
    const sink = await httpSink();
    return { sink, ...(await started(several.replace('$sink', `"${sink.origin}/"`))) };
  };

  test.each([
    ['nothing', '', {}, 'de'],
    ['?lang=', '?lang=en', {}, 'en'],
    ['?lang= before the browser', '?lang=en', { 'accept-language': 'ar' }, 'en'],
    ['?lang= in capitals, with a region', '?lang=EN-us', {}, 'en'],
    ['a ?lang= that it does not speak', '?lang=fr', { 'accept-language': 'ar' }, 'ar'],
    ['a ?lang= that is none', '?lang=%00', {}, 'de'],
    ['the browser', '', { 'accept-language': 'fr-CH, en;q=0.8, de;q=0.5' }, 'en'],
    ['the browser, in another order', '', { 'accept-language': 'de;q=0.5, ar-EG' }, 'ar'],
    ['a browser that refuses', '', { 'accept-language': 'de;q=0, *' }, 'de'],
    ['a browser that speaks none of them', '', { 'accept-language': 'fr, it;q=0.5' }, 'de'],
  ])('uses the requested language: %s', async (_, query, headers, expected) => {
    const { get, post } = await startedWithSink();
    const answer = await get(`/api/v1/form/contact${query}`, headers);
    expect(answer.headers.get('content-language')).toBe(expected);
    expect(answer.headers.get('vary')).toBe('Origin, HX-Request, Accept, Sec-Fetch-Mode, Accept-Language');
    expect(answer.text).toContain(`lang="${expected}"`);
    for (const [other, language] of [
      [await get(`/api/v1/token/contact${query}`, headers), expected],
      [await post(`/api/v1/check/contact${query || '?'}`, 'name=ada', headers), null],
    ] as const) {
      expect(other.headers.get('content-language')).toBe(language);
      expect(other.headers.get('vary')).toBe(answer.headers.get('vary'));
      expect(other.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('a language’s own texts are shown, and its URLs keep the language', async () => {
    const { get } = await startedWithSink();
    const { text } = await get('/api/v1/form/contact?lang=en&as=page');
    expect(text).toContain('<title>Contact</title>');
    expect(text).toContain('First name');
    expect(text).toContain('small letters');
    expect(text).toContain('One');
    expect(text).toContain('action="/api/v1/submit/contact?lang=en&amp;as=page"');
    expect(text).not.toMatch(/Kontakt|Vorname|klein|Eins/);
  });

  test('errors are in the language of the page, with the form’s texts in it', async () => {
    const { submit, post } = await startedWithSink();
    const english = await submit('contact', [['name', 'ADA']], { ...htmx, 'accept-language': 'en' });
    expect(english.text).toContain('Use the expected format: small letters');
    const sent = await post('/api/v1/submit/contact?lang=ar&as=page', 'name=', { accept: 'text/html' });
    expect(sent.status).toBe(422);
    expect(sent.text).toContain('<html lang="ar" dir="rtl">');
    expect(sent.text).toContain((await loadTexts('ar')).missing);
  });

  test('JSON is in the form’s first language; a script requests its own', async () => {
    const { submit, post } = await startedWithSink();
    const wanted = { 'accept-language': 'en' };
    const plain = await submit('contact', [['name', '']], wanted);
    expect(plain.json).toEqual({ error: 'name: Füllen Sie dieses Feld aus.' });
    expect(plain.headers.get('content-language')).toBe('de');
    const problem = { ...wanted, accept: 'application/problem+json' };
    const answerTo = async (query: string, body: string) =>
      (await post(`/api/v1/submit/contact${query}`, body, problem)).json;
    expect(await answerTo('', 'name=')).toMatchObject({
      errors: [{ label: 'Vorname', message: 'Füllen Sie dieses Feld aus.' }],
    });
    expect(await answerTo('?lang=en', 'name=')).toMatchObject({
      errors: [{ label: 'First name', message: 'Enter a value.' }],
    });
    expect(await answerTo('?lang=en', 'name=A')).toMatchObject({
      errors: [{ message: 'Use the expected format: small letters' }],
    });
    expect(await answerTo('?lang=en', 'name=ada')).toEqual({ message: 'ok', confirmation: 'Many thanks.' });
  });

  test('the delivered values are the same in every language', async () => {
    const { sink, submit } = await startedWithSink();
    for (const language of ['de', 'en', 'ar']) {
      const answer = await submit('contact', 'name=ada&kind=de', { ...htmx, 'accept-language': language });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(`lang="${language}"`);
    }
    expect(new Set(sink.requests.map(({ body }) => body))).toEqual(new Set(['ar=contact&de=ada&en=de']));
  });
});

test('the output of relay form html gets responses in its own language', async () => {
  const folder = tempFolder();
  const file = join(folder, 'webform.yaml');
  writeFileSync(file, several.replace('$sink', 'http://127.0.0.1:9/'));
  const said: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean(said.push(String(text))));
  onTestFinished(() => void vi.restoreAllMocks());
  await printForm('contact', { config: file });
  await printForm('contact', { config: file, lang: 'en-GB' });
  expect(said[0]).toContain('/api/v1/submit/contact?lang=de');
  expect(said[1]).toContain('/api/v1/submit/contact?lang=en');
  expect(said[1]).toContain('First name');
  await expect(printForm('contact', { config: file, lang: 'fr' })).rejects.toThrow(
    '"contact" has no texts in "fr"; its languages are de, en, ar',
  );
});

test('replacements for the relay’s texts are escaped like all others', async () => {
  const { get } = await started(`forms: {contact: {messages: {submit: '<b>&"'}, fields: [], ${outputs}}}`);
  expect((await get('/api/v1/form/contact')).text).toContain('>&lt;b&gt;&amp;&#34;</button>');
});

describe('mistakes are reported', () => {
  test('a missing translation is a warning, and the text of the first language replaces it', async () => {
    const config = `languages: [de, en, fr]
messages: {it: {submit: x}}
forms:
  contact: {title: {en: b}, fields: [{name: a, label: {de: x, en:, fr: z}}], ${outputs}}
`;
    expect((await warningsOf(config)).split('\n')).toEqual([
      'config:2:12: warning: messages.it: no form here has the language "it"',
      'config:4:13: warning: forms.contact.title: de, fr are missing; visitors see the text in en instead',
      'config:4:48: warning: forms.contact.fields[0].label: en is missing; visitors see the text in de instead',
    ]);
    const { get } = await started(config);
    expect((await get('/api/v1/form/contact?lang=fr')).text).toContain('<h2>b</h2>');
  });
});
