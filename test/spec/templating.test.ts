import { form, post } from '../support/config.ts';
import { httpSink, problemsOf, relayWith } from '../support/index.ts';
import { posted } from './read.ts';

type Values = [name: string, value: string][];

const names = (...all: string[]): Values => all.map((one) => ['name', one]);
const submittedAt = Date.UTC(2030, 11, 31, 23, 59, 58, 999);
const env = { SECRET: 's3cret', EMPTY: '' };

/** A relay with one form, in whose outputs `$http` is the address of a sink. */
async function staged(outputs: Readonly<Record<string, unknown>>[]) {
  const http = await httpSink();
  const config = form({ outputs }).replaceAll('$http', http.origin);
  const relay = await relayWith({ config, env, effects: { now: () => submittedAt } });
  return { relay, http };
}

const httpPost = { type: 'http_post', url: '$http/hook' };
/** The text that a template renders for these values, as an output's static value. */
async function render(template: string, values: Values = []): Promise<string | undefined> {
  const { relay, http } = await staged([{ ...httpPost, static: { always: 'there', out: template } }]);
  expect((await relay.submit('contact', values)).status).toBe(200);
  return new Map(posted(http)[0]).get('out');
}

/** test/promises/areas/templates.ts covers each reference and function. */
describe('references', () => {
  test.each(['2nd', '1', '007', '3d-model', '2-b', '१', 'नाम', 'e\u0301', 'übung', 'a.b', 'a.2.c-d', '_'])(
    'a field "%s" can be referenced like any other',
    async (name) => {
      const http = await httpSink();
      const fields = [{ name, type: 'select', options: [{ value: 'v', label: 'Label' }] }];
      const out = `{{ .fields.${name} }}, {{ .labels.${name} | upper }}`;
      const outputs = [{ type: 'http_post', url: http.origin, static: { out } }];
      const relay = await relayWith({ config: form({ fields, outputs }) });
      expect((await relay.submit('contact', [[name, 'v']])).status).toBe(200);
      expect(posted(http)).toEqual([[['out', 'v, LABEL']]]);
      expect(await (await relay.relay.config.get())?.warnings()).toEqual([]);
    },
  );

  test.each<[template: string, values: Values, result: string | undefined]>([
    ['{{ .fields.undeclared }}', [['undeclared', 'too']], 'too'],
    ['{{.fields.name}}', [['name', ' spaces stay ']], ' spaces stay '],
    ['{{ .fields.name }}', names('a', 'b', 'c'), 'a,b,c'],
    ['{{ .submitted_at }}', [], '2030-12-31T23:59:58Z'],
    ['From {{ .fields.name }} by {{ .form.id }}!', [['name', 'Ann']], 'From Ann by contact!'],
  ])('%s with %j renders %j', async (template, values, result) =>
    expect(await render(template, values)).toBe(result),
  );
});

test.each<[template: string, values: Values, result: string | undefined]>([
  ['{{ trim .fields.name }}', [['name', ' \t\r\nAnn Lee\n ']], 'Ann Lee'],
  ['{{ lower .fields.name }}', [['name', 'ÄNN Lee']], 'änn lee'],
  ['{{ upper .fields.name }}', [['name', 'änn Lee']], 'ÄNN LEE'],
  ['{{ default "nobody" .fields.name }}', [], 'nobody'],
  ['{{ default "nobody" .fields.name }}', names('', ''), ','],
  ['{{ .fields.name }}', names('a', '', 'b'), 'a,,b'],
  ['{{ join ";" (values "name") }}', names('a', '', 'b'), 'a;;b'],
  ['{{ default "nobody" .fields.name }}', [['name', ' ']], ' '],
  ['[{{ env "EMPTY" }}{{ env "NO_SUCH_VARIABLE" }}{{ env "__proto__" }}]', [], '[]'],
  ['{{ join "; " (values "name") }}', names('a,b', 'c'), 'a,b; c'],
  ['{{ join "; " (values "name") }}', [['name', 'one']], 'one'],
  ['[{{ join "; " (values "name") }}]', [], '[]'],
  ['{{ values "name" | join "+" }}', names('a', 'b'), 'a+b'],
  ['{{ .fields.name | trim | upper | default "NOBODY" }}', [['name', ' ann ']], 'ANN'],
  ['{{ .fields.name | trim | upper | default "NOBODY" }}', [['name', '  ']], 'NOBODY'],
  ['{{ default "x" (env "EMPTY") }}', [], 'x'],
])('functions: %s with %j renders %j', async (template, values, result) =>
  expect(await render(template, values)).toBe(result),
);

test.each(['.env', '.env.SECRET', '.env.PATH', '.fields', '.form', '.form.name', '.nosuch'])(
  '{{ %s }} renders empty: only the documented references are available',
  async (path) => expect(await render(`[{{ ${path} }}]`, [['name', 'Ann']])).toBe('[]'),
);

test.each(['<b>&amp; "x" \'y\' </script>', '{{ env "SECRET" }}', '{{', '}}', '$&$1', '\u2028\u{1f600}'])(
  'a submitted %j is output literally, neither escaped nor rendered',
  async (text) => {
    expect(await render('{{ .fields.name }}', [['name', text]])).toBe(text);
    expect(await render('{{ join "" (values "name") }}', [['name', text]])).toBe(text);
  },
);

describe('no other position is templated', () => {
  test.each(['http_post', 'crm_web2lead', 'webhook'])('url: %s is used as written', async (type) => {
    const urls = ['/{{ .form.id }}', '/?a={{ .form.id }}', '/{{ no function', '/}}', '/{{{{ env "SECRET" }}'];
    const { relay, http } = await staged(
      urls.map((path) => ({ type, url: `$http${path}`, static: { a: '1' } })),
    );
    expect((await relay.submit('contact', [])).status).toBe(200);
    expect(http.requests.map(({ url }) => decodeURIComponent(url)).toSorted()).toEqual(urls.toSorted());
  });

  test('static and header keys: are used as written', async () => {
    const { relay, http } = await staged([{ ...httpPost, static: { '{{ .form.id }}': 'x' } }]);
    await relay.submit('contact', []);
    expect(posted(http)).toEqual([[['{{ .form.id }}', 'x']]]);
  });

  test("the form's own texts", async () => {
    const fields = [
      { name: 'name', label: '{{ .form.id }} 1', help: '{{ .form.id }} 2', value: '{{ .form.id }} 3' },
    ];
    const outputs = [post('http://127.0.0.1:9/', { on_error: 'continue' })];
    const texts = {
      title: '{{ .form.id }} 4',
      submit_label: '{{ .form.id }} 5',
      confirmation: '{{ .form.id }} 6',
    };
    const relay = await relayWith({ config: form({ fields, outputs, ...texts }) });
    const shown = await relay.get('/api/v1/form/contact');
    const sent = await relay.submit('contact', [], { 'HX-Request': 'true' });
    for (const text of [1, 2, 3, 4, 5, 6].map((n) => `{{ .form.id }} ${n}`))
      expect(shown.text + sent.text).toContain(text);
  });
});

/** packages/schema/test/template.test.ts covers mistakes in templates, packages/config/test/cases where templates are checked. */
test("an unregistered type's other keys are not interpreted", async () => {
  const fax = {
    type: 'fax',
    url: '{{ nosuch }}',
    number: '{{',
    to: ['{{', 1],
    subject: { text: '{{' },
    headers: { 'X-Name': ['{{'] },
  };
  const output = { type: 'fax', headers: '', username: null, static: { a: 'x' } };
  expect(await problemsOf(form({ outputs: [fax, output] }))).toBe('');
});
