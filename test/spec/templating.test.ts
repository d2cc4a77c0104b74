import { httpSink, problemsOf, relayWith } from '../support/index.ts';
import { posted } from './read.ts';

type Values = [name: string, value: string][];

const names = (...all: string[]): Values => all.map((one) => ['name', one]);
const submittedAt = Date.UTC(2030, 11, 31, 23, 59, 58, 999);
const env = { SECRET: 's3cret', EMPTY: '' };

/** A relay with one form, whose outputs see `$http` as the address of a sink. */
async function staged(outputs: object[]) {
  const http = await httpSink();
  const form = { fields: [{ name: 'name' }], outputs };
  const config = JSON.stringify({ forms: { contact: form } }).replaceAll('$http', http.origin);
  const relay = await relayWith({ config, env, effects: { now: () => submittedAt } });
  return { relay, http };
}

const httpPost = { type: 'http_post', url: '$http/hook' };
/** The text that a template renders to for these values, as the static value of an output. */
async function render(template: string, values: Values = []): Promise<string | undefined> {
  const { relay, http } = await staged([{ ...httpPost, static: { always: 'there', out: template } }]);
  expect((await relay.submit('contact', values)).status).toBe(200);
  return new Map(posted(http)[0]).get('out');
}

describe('references', () => {
  test.each(['2nd', '1', '007', '3d-model', '2-b', '१', 'नाम', 'e\u0301', 'übung', 'a.b', 'a.2.c-d', '_'])(
    'a field "%s" has a reference like any other',
    async (name) => {
      const form = {
        fields: [{ name, type: 'select', options: [{ value: 'v', label: 'Label' }] }],
        outputs: [{ ...httpPost, static: { out: `{{ .fields.${name} }}, {{ .labels.${name} | upper }}` } }],
      };
      const http = await httpSink();
      const config = JSON.stringify({ forms: { contact: form } }).replaceAll('$http', http.origin);
      const relay = await relayWith({ config });
      expect((await relay.submit('contact', [[name, 'v']])).status).toBe(200);
      expect(posted(http)).toEqual([[['out', 'v, LABEL']]]);
      expect(await (await relay.relay.config.get())?.warnings()).toEqual([]);
    },
  );

  test.each<[template: string, values: Values, result: string | undefined]>([
    ['{{ .fields.name }}', [['name', 'Ann']], 'Ann'],
    ['{{ .fields.undeclared }}', [['undeclared', 'too']], 'too'],
    ['{{.fields.name}}', [['name', ' spaces stay ']], ' spaces stay '],
    ['{{ .fields.name }}', names('a', 'b', 'c'), 'a,b,c'],
    ['[{{ .fields.absent }}]', [['name', 'Ann']], '[]'],
    ['{{ .form.id }}', [], 'contact'],
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
  ['{{ default "nobody" .fields.name }}', [['name', 'Ann']], 'Ann'],
  ['{{ default "nobody" .fields.name }}', [['name', '']], 'nobody'],
  ['{{ default "nobody" .fields.name }}', [], 'nobody'],
  ['{{ default "nobody" .fields.name }}', names('', ''), ','],
  ['{{ .fields.name }}', names('a', '', 'b'), 'a,,b'],
  ['{{ join ";" (values "name") }}', names('a', '', 'b'), 'a;;b'],
  ['{{ default "nobody" .fields.name }}', [['name', ' ']], ' '],
  ['{{ env "SECRET" }}', [], 's3cret'],
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
  '{{ %s }} renders empty: nothing but the table can be reached',
  async (path) => expect(await render(`[{{ ${path} }}]`, [['name', 'Ann']])).toBe('[]'),
);

test.each(['<b>&amp; "x" \'y\' </script>', '{{ env "SECRET" }}', '{{', '}}', '$&$1', '\u2028\u{1f600}'])(
  'a submitted %j comes out literally, neither escaped nor rendered',
  async (text) => {
    expect(await render('{{ .fields.name }}', [['name', text]])).toBe(text);
    expect(await render('{{ join "" (values "name") }}', [['name', text]])).toBe(text);
  },
);

describe('no other position is templated', () => {
  test.each(['http_post', 'crm_web2lead', 'webhook'])('url: %s uses it as it stands', async (type) => {
    const urls = ['/{{ .form.id }}', '/?a={{ .form.id }}', '/{{ no function', '/}}', '/{{{{ env "SECRET" }}'];
    const { relay, http } = await staged(
      urls.map((path) => ({ type, url: `$http${path}`, static: { a: '1' } })),
    );
    expect((await relay.submit('contact', [])).status).toBe(200);
    expect(http.requests.map(({ url }) => decodeURIComponent(url)).toSorted()).toEqual(urls.toSorted());
  });

  test('static and header keys: they are names as written', async () => {
    const { relay, http } = await staged([{ ...httpPost, static: { '{{ .form.id }}': 'x' } }]);
    await relay.submit('contact', []);
    expect(posted(http)).toEqual([[['{{ .form.id }}', 'x']]]);
  });

  test("the form's own texts", async () => {
    const fields = [
      { name: 'name', label: '{{ .form.id }} 1', help: '{{ .form.id }} 2', value: '{{ .form.id }} 3' },
    ];
    const outputs = [{ type: 'http_post', url: 'http://127.0.0.1:9/', on_error: 'continue', mapping: '*' }];
    const texts = {
      title: '{{ .form.id }} 4',
      submit_label: '{{ .form.id }} 5',
      confirmation: '{{ .form.id }} 6',
    };
    const relay = await relayWith({
      config: JSON.stringify({ forms: { contact: { fields, outputs, ...texts } } }),
    });
    const form = await relay.get('/api/v1/form/contact');
    const sent = await relay.submit('contact', [], { 'HX-Request': 'true' });
    for (const text of [1, 2, 3, 4, 5, 6].map((n) => `{{ .form.id }} ${n}`))
      expect(form.text + sent.text).toContain(text);
  });
});

/** packages/schema/test/template.test.ts has the mistakes of templates, packages/config/test/cases where they are looked for. */
test("an unregistered type's other keys are its own", async () => {
  const fax = {
    type: 'fax',
    url: '{{ nosuch }}',
    number: '{{',
    to: ['{{', 1],
    subject: { text: '{{' },
    headers: { 'X-Name': ['{{'] },
  };
  const output = { type: 'fax', headers: '', username: null, static: { a: 'x' } };
  const form = { fields: [{ name: 'name' }], outputs: [fax, output] };
  expect(await problemsOf(JSON.stringify({ forms: { contact: form } }))).toBe('');
});
