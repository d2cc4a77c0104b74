import { config, form, post } from '../support/config.ts';
import { httpSink, relayWith } from '../support/index.ts';
import { controlIn, posted, tagsIn, unescaped } from './read.ts';

const htmx = { 'HX-Request': 'true' };
const hostile = `<script>alert("x")</script> & 'quotes' </textarea> &amp;`;

/** A form with all kinds of fields, one whose delivery fails, and one with a captcha. */
async function staged() {
  const sink = await httpSink();
  const failing = await httpSink({ answer: () => ({ status: 500 }) });
  const fields = [
    'name!',
    { name: 'email', type: 'email', help: 'We only write back.' },
    'message:textarea!',
    { name: 'topic', type: 'checkboxes', options: ['sales', 'press', 'jobs'], max_choices: 2 },
    { name: 'size', type: 'radios', options: ['small', 'large'] },
    { name: 'country', type: 'select', options: ['ch', 'fr'] },
    ...['agree:checkbox!', 'page:hidden'],
  ];
  const forms = {
    plain: { fields, outputs: [post(sink)] },
    broken: { outputs: [post(failing)] },
    guarded: { outputs: [post(sink)], captcha: { provider: 'hcaptcha', secret: 'x' } },
  };
  return relayWith({ config: config(forms) });
}

/** The form's text controls as a browser would send them, in order. */
const sentBack = (markup: string): [string, string][] =>
  tagsIn(markup).flatMap(({ tag, attributes: { name, value = '' } }) =>
    tag === 'input' && name ? [[name, value] as [string, string]] : [],
  );

describe('after a correction, nothing is lost that a first submission would have delivered', () => {
  const first: [string, string][] = [
    ['topic', ''],
    ['topic', 'a'],
    ['topic', 'b & "c"'],
    ['visit', '1'],
    ['visit', '2'],
    ['utm', 'spring'],
    ['utm', 'sale'],
    ['campaign', '<b>'],
    ['unused', 'x'],
  ];
  test.each([
    ['in a page with htmx', htmx],
    ['in a page of its own', { Accept: 'text/html' }],
  ])('%s', async (_, headers) => {
    const sink = await httpSink();
    const mapping = { email: 'email', topic: 'topic', visit: 'visit', source: 'utm', decoy: 'website' };
    const redirecting = form({
      redirect: 'https://a.example/thanks',
      fields: ['email:email', { name: 'topic', pattern: '[a-c& "]*' }, 'visit:hidden'],
      spam: { honeypot: 'website' },
      outputs: [post(sink, { mapping, static: { campaign: '{{ .fields.campaign }}' } })],
    });
    const relay = await relayWith({ config: redirecting });
    const ask = (values: [string, string][]) => relay.submit('contact', values, headers);

    await ask([['email', 'a@b.example'], ...first]);
    const refused = await ask([['email', 'nobody'], ...first]);
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain('unused');
    await ask(
      sentBack(refused.text).map(([name, value]) => [name, name === 'email' ? 'a@b.example' : value]),
    );
    const [wanted, corrected] = posted(sink);
    expect(wanted).toHaveLength(8);
    expect(corrected).toEqual(wanted);
  });

  test('except values that nobody can correct, because no control shows them', async () => {
    const outputs = [post('http://127.0.0.1:9/', { mapping: { email: 'email', utm: 'utm' } })];
    const relay = await relayWith({ config: form({ fields: 'email:email', outputs }) });
    const { status, text } = await relay.submit(
      'contact',
      Object.entries({ email: 'a@b.example', utm: 'x'.repeat(10_001) }),
      htmx,
    );
    expect([status, sentBack(text)]).toEqual([422, [['email', 'a@b.example']]]);
  });

  test('and of several values, the control shows the invalid one', async () => {
    const sink = await httpSink();
    const relay = await relayWith({ config: form({ fields: 'email:email', outputs: [post(sink)] }) });
    const sent = 'email=&email=a@b.example&email=nobody&email=c@d.example&email=nobody+else';
    const { text } = await relay.submit('contact', sent, htmx);
    expect(controlIn(text, 'email').attributes).toMatchObject({ value: 'nobody', 'aria-invalid': 'true' });
    const corrected = (markup: string, from: string, to: string) =>
      sentBack(markup).map(([name, value]): [string, string] => [name, value === from ? to : value]);
    const next = await relay.submit('contact', corrected(text, 'nobody', 'e@f.example'), htmx);
    expect(controlIn(next.text, 'email').attributes.value).toBe('nobody else');
    await relay.submit('contact', corrected(next.text, 'nobody else', 'g@h.example'), htmx);
    const all = ['a@b.example', 'c@d.example', 'e@f.example', 'g@h.example'];
    expect(
      posted(sink)[0]
        ?.map(([, value]) => value)
        .toSorted(),
    ).toEqual(all);
  });

  test('and a link fills in only fields that its visitor can see', async () => {
    const outputs = [post('http://127.0.0.1:9/', { mapping: { email: 'email', utm: 'utm' } })];
    const { get } = await relayWith({ config: form({ fields: 'email:email', outputs }) });
    const { text } = await get('/api/v1/form/contact?email=&email=a@b.example&email=evil@b.example&utm=x');
    expect(sentBack(text)).toEqual([['email', 'a@b.example']]);
  });
});

const valid = Object.entries({ name: 'Ann', message: 'Hi', agree: 'on' });

/** A control's linked error message; the control must be marked as failing. */
function messageFor(markup: string, name: string): string {
  const {
    type,
    'aria-invalid': own,
    'aria-describedby': describedBy = '',
  } = controlIn(markup, name).attributes;
  // For radio buttons, the group is marked.
  const group = tagsIn(markup).find(
    ({ attributes }) => attributes.role === 'radiogroup' && attributes['aria-describedby'] === describedBy,
  );
  expect(type === 'radio' ? group?.attributes['aria-invalid'] : own).toBe('true');
  const messages = describedBy.split(' ').flatMap((id) => {
    const [, text] = new RegExp(`<p class="field-error" id="${id}">([^<]*)</p>`).exec(markup) ?? [];
    return text ?? [];
  });
  expect(messages).toHaveLength(1);
  return unescaped(messages[0] ?? '');
}

describe('HTML fragments for requests carrying `HX-Request: true`', () => {
  describe('validation failure', () => {
    test("has each failing field's message inline, linked by aria-invalid and aria-describedby", async () => {
      const relay = await staged();
      const { text } = await relay.submit(
        'plain',
        'email=no-address&topic=sales&topic=press&topic=jobs&size=huge&country=de&agree=maybe',
        htmx,
      );
      for (const field of ['name', 'email', 'message', 'topic', 'size', 'country', 'agree'])
        expect(messageFor(text, field)).toMatch(/^[A-Z].*\.$/);
      expect(text.match(/class="field-error"/g)).toHaveLength(7);
    });

    test('and the message of a hidden field, with the field’s name', async () => {
      const relay = await relayWith({ config: form({ fields: 'page:hidden!' }) });
      const { text } = await relay.submit('contact', '', htmx);
      expect(messageFor(text, 'page')).toBe('Page: Enter a value.');
    });

    test('does not restore an initial value that the visitor removed', async () => {
      const config = `forms: {contact: {
        fields: [{name: name, value: initial}, {name: news, type: checkbox, value: "on"}, {name: needed, required: true}],
        outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}}`;
      const relay = await relayWith({ config });
      const first = (await relay.get('/api/v1/form/contact')).text;
      expect(controlIn(first, 'name').attributes.value).toBe('initial');
      expect(controlIn(first, 'news').attributes.checked).toBeDefined();
      // An unticked box sends nothing.
      const { text } = await relay.submit('contact', 'name=&needed=', htmx);
      expect(controlIn(text, 'name').attributes.value).toBeUndefined();
      expect(controlIn(text, 'news').attributes.checked).toBeUndefined();
    });
  });

  describe('min-fill expired and other errors', () => {
    test.each<
      [what: string, status: number, form: string, values: [string, string][] | string, type?: string]
    >([
      ['a wrong Content-Type', 400, 'plain', 'name=Ann', 'text/plain'],
      ['a malformed body', 400, 'plain', 'name=%'],
      ['a missing captcha token', 400, 'guarded', [['name', 'Ann']]],
      ['an unknown form', 404, '<b>&"', valid],
      ['a failed delivery', 500, 'broken', [['name', 'Ann']]],
    ])('%s is a list with the message, status %i', async (_, status, form, body, type) => {
      const relay = await staged();
      const answer = await relay.submit(form, body, { ...htmx, ...(type && { 'content-type': type }) });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text.trim()).toMatch(/^<ul class="form-errors"><li>[^<]+<\/li><\/ul>$/);
    });

    test('a message that names an undeclared field escapes the name', async () => {
      const outputs = [post('http://127.0.0.1:9/', { mapping: { out: hostile } })];
      const relay = await relayWith({ config: form({ outputs }) });
      const { text } = await relay.submit('contact', [[hostile, 'x'.repeat(10_001)]], htmx);
      expect(text).toContain('<ul class="form-errors"><li>&lt;script&gt;');
      expect(text).not.toContain('<script>alert');
    });
  });

  test.each(['', 'false', 'TRUE', '1', 'true, false', 'true,', 'true true'])(
    '`HX-Request: %s` gets JSON',
    async (value) => {
      const relay = await staged();
      expect((await relay.submit('plain', valid, { 'HX-Request': value })).json).toEqual({ message: 'ok' });
      expect((await relay.submit('plain', [], { 'HX-Request': value })).json).toEqual({
        error: expect.any(String),
      });
    },
  );
});
