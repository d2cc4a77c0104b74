import { describe, expect, test } from 'vitest';
import { httpSink, problemsOf, relayWith } from './stage.ts';

const form = '{fields: [{name: a}], outputs: [{type: http_post, url: "http://127.0.0.1/", mapping: "*"}]}';

describe('Top-level config', () => {
  // How long it lasts: configuration_sources_and_caching.test.ts.
  test.each(['30s', '2h', '1h30m', '0', '0.5s', '100ms'])(
    'cache_ttl is a duration string such as %s',
    async (ttl) => {
      expect(await problemsOf(`{cache_ttl: ${ttl}, forms: {contact: ${form}}}`)).toBe('');
    },
  );

  test.each([
    ['30', 'the unit is missing'],
    ['soon', 'write a duration such as'],
    ['-1s', 'cannot be negative'],
    ['1d', 'is not a unit'],
    ['[1s]', 'found a list'],
    ['', 'found nothing'],
  ])('cache_ttl: %s keeps the config from loading', async (ttl, problem) => {
    const problems = await problemsOf(`cache_ttl: ${ttl}\nforms: {contact: ${form}}`);
    expect(problems).toMatch(/^config:1:\d+: cache_ttl: /);
    expect(problems).toContain(problem);
  });

  test.each([
    ['cache_ttl: 30s', 'forms is missing'],
    ['forms:', 'forms: found nothing; expected a map'],
    ['forms: [contact]', 'forms: found a list; expected a map'],
    ['forms: {contact: }', 'forms.contact: found nothing; expected a map'],
    [`form: {contact: ${form}}`, 'form: unknown key (did you mean forms?)'],
    ['# nothing yet', 'the config is empty'],
    ['just text', 'found "just text"; expected a map'],
  ])('forms is a required map of form name to form: "%s" does not load', async (config, problem) => {
    expect(await problemsOf(config)).toContain(problem);
  });

  test('a form is served under its key, and no name is special', async () => {
    const sink = await httpSink();
    const names = ['contact', 'Contact', 'a b', 'ä/ö', '__proto__', 'constructor', 'on', '01', '1', '%41'];
    const forms = names.map(
      (name, index) =>
        `${JSON.stringify(name)}: {fields: [], outputs: [{type: http_post, url: "${sink.origin}", static: {form: "${index} {{ .form.id }}"}}]}`,
    );
    const relay = await relayWith({ config: `forms: {${forms.join(', ')}}` });
    for (const name of names) expect([name, (await relay.submit(name, '')).status]).toEqual([name, 200]);
    expect(sink.requests.map(({ body }) => new URLSearchParams(body).get('form'))).toEqual(
      names.map((name, index) => `${index} ${name}`),
    );
    for (const name of ['CONTACT', 'toString', 'A', '']) {
      expect([name, (await relay.submit(name, '')).status]).toEqual([name, name === '' ? 400 : 404]);
    }
  });

  test('unknown keys, missing ones and wrong values are all reported at once, each with its place (D9)', async () => {
    const problems = await problemsOf(`cache_tll: 30s
forms:
  contact:
    feilds: []
    outputs:
      - type: http_post
        on_error: maybe
        maping: {a: b}
        url: example.com
`);
    expect(problems.split('\n').map((line) => /^config:(\d+:\d+): (\S+):/.exec(line)?.slice(1))).toEqual([
      ['1:1', 'cache_tll'],
      ['3:3', 'forms.contact.fields'],
      ['4:5', 'forms.contact.feilds'],
      ['7:19', 'forms.contact.outputs[0].on_error'],
      ['8:9', 'forms.contact.outputs[0].maping'],
      ['9:14', 'forms.contact.outputs[0].url'],
    ]);
    for (const suggestion of ['cache_ttl', 'fields', 'mapping'])
      expect(problems).toContain(`did you mean ${suggestion}?`);
  });
});
