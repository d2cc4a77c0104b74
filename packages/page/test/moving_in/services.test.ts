import { formHtml } from '../../../../test/support/form_html.ts';
import { must } from '../../../../test/support/must.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import { configText } from '../../src/moving_in/config_text.ts';
import { moveIn } from '../../src/moving_in/read_form.ts';

const key = 'data-sitekey="k3y"';
const scoring = (query: string) => `<script src="https://www.google.com/recaptcha/api.js${query}"></script>`;

test.each([
  ['recaptcha_v2', 'RECAPTCHA', `<div class="g-recaptcha" ${key}></div>`],
  ['recaptcha_v2, on a button', 'RECAPTCHA', `<button class="btn g-recaptcha" ${key}>Go</button>`],
  ['recaptcha_v3, on a button', 'RECAPTCHA', `<button class="g-recaptcha" ${key} data-action="submit">`],
  ['recaptcha_v3, by a script', 'RECAPTCHA', scoring('?render=k3y')],
  ['hcaptcha', 'HCAPTCHA', `<div class="h-captcha" ${key}></div>`],
  ['turnstile', 'TURNSTILE', `<div class="cf-turnstile" ${key}></div>`],
])('%s', async (name, variable, markup) => {
  const { captcha } = must(await moveIn(`<form><input name="a">${markup}</form>`, undefined));
  expect(captcha?.isComplete).toBe(true);
  expect(captcha?.keys).toMatchObject({
    provider: name.split(',')[0],
    site_key: 'k3y',
    secret: `{{ env "${variable}_SECRET" }}`,
  });
});

const outputOf = async (action: string, controls = '<input name="a">') =>
  must(await moveIn(`<form action="${action}" method="post">${controls}</form>`, undefined)).outputs[0]
    ?.keys ?? {};

test.each([
  ['https://formspree.io/you@example.org', 'you@example.org'],
  ['//formspree.io/you@example.org', 'you@example.org'],
  ['https://formsubmit.co/ajax/you@example.org', 'you@example.org'],
  ['mailto:you@example.org?subject=Hello', 'you@example.org'],
  ['https://formsubmit.co/3f2a9c0e5d', 'you@your-site.invalid'],
  ['https://formspree.io/f/xgejabcd', 'you@your-site.invalid'],
  ['/contact.php', 'you@your-site.invalid'],
  ['', 'you@your-site.invalid'],
  ['https://forms.example.com/api/v1/submit/contact', 'you@your-site.invalid'],
  ['https://me:secret@example.com/hook', 'you@your-site.invalid'],
])('values sent to %j become a mail to %s', async (action, to) =>
  expect(await outputOf(action)).toMatchObject({ type: 'smtp', to }),
);

test.each([
  ['https://hooks.example.com/catch?key=1', 'http_post'],
  ['https://webto.salesforce.com/servlet/servlet.WebToLead?encoding=UTF-8', 'crm_web2lead'],
])('the owner’s own URL keeps receiving submissions: %s', async (url, type) => {
  const controls =
    '<input type="hidden" name="oid" value="00D"><input name="last_name"><input type="hidden" name="subject" value="x">';
  expect(await outputOf(url, controls)).toEqual({ type, url, mapping: '*' });
  const page = `<form action="${url}">${controls}<input type="hidden" name="retURL" value="https://example.com/"></form>`;
  const { fields, redirect } = must(await moveIn(page, undefined));
  expect(fields.map(({ name }) => name)).toEqual(['oid', 'last_name', 'subject']);
  expect(redirect?.address).toBe('https://example.com/');
});

test.each([
  ['<input type="email" name="mail">', '{{ .fields.mail }}'],
  ['<input type="email" name="friend"><input type="email" name="email">', '{{ .fields.email }}'],
  ['<input type="email" name="user[email]">', '{{ join "," (values "user[email]") }}'],
  [`<input type="email" name='"\\'>`, '{{ join "," (values "\\"\\\\") }}'],
  ['<input name="a"><input type="hidden" name="_replyto" value="desk@example.org">', 'desk@example.org'],
  ['<input type="email" name="email" multiple>', undefined],
])('the reply address that %s sets: %s', async (controls, replyTo) =>
  expect((await outputOf('/contact', controls)).reply_to).toBe(replyTo),
);

test.each([
  ['<input type="hidden" name="_subject" value="Hello\n{{ .x }}">', 'Hello {{ "{{" }} .x }}'],
  ['<input name="subject">', '{{ default "Form submission" .fields.subject }}'],
  ['<input name="_subject">', '{{ default "Form submission" .fields._subject }}'],
  ['<select name="subject"><option>a</select>', undefined],
])('the subject that %s sets: %s', async (controls, subject) =>
  expect((await outputOf('/contact', `<input name="a">${controls}`)).subject).toBe(subject),
);

const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;

async function move(action: string, controls: string) {
  const page = `<form action="${action}" method="post">${controls}<input name="name"></form>`;
  const { outputs, remarks, fields, redirect } = must(await moveIn(page, undefined));
  const all = [...outputs.flatMap((output) => output.remarks), ...remarks]
    .map(({ kind, text }) => `${kind}: ${text}`)
    .join('\n');
  return { keys: outputs[0]?.keys ?? {}, all, names: fields.map(({ name }) => name), redirect };
}

describe('a service’s task that the config cannot do is reported with its value', () => {
  test.each([
    ['_webhook', 'https://hooks.example/new'],
    ['webhook', 'https://hooks.example/new'],
    ['_autoresponse', 'We have your order.'],
    ['_confirmation', 'Thank you!'],
    ['_blacklist', 'viagra, casino'],
  ])('%s', async (name, value) => {
    const { all } = await move('https://formsubmit.co/me@example.com', hidden(name, value));
    expect(all).toContain(`to_do: "${name}" was for FormSubmit`);
    expect(all).toContain(`"${value}"`);
  });

  test.each([
    ['a second subject', hidden('_subject', 'One') + hidden('subject', 'Two'), '"Two"'],
    ['a reply that is no address', hidden('_replyto', '%email%'), '"%email%"'],
    [
      'a copy that is no bare address',
      hidden('_cc', 'me@example.com, Boss <b@example.com>'),
      '"Boss <b@example.com>"',
    ],
    [
      "a service's own page",
      hidden('_next', 'https://formsubmit.co/thanks'),
      '"https://formsubmit.co/thanks"',
    ],
    ['a placeholder of no field', hidden('_subject', 'No. %{submissionId}'), '"%{submissionId}"'],
  ])('%s', async (_, controls, value) => {
    const { all, redirect } = await move('https://formsubmit.co/me@example.com', controls);
    expect(all).toContain(value);
    expect(all).not.toMatch(/(redirect|the output.s (reply_to|cc)) now has/);
    expect(redirect).toBeUndefined();
  });
});

test('copies are still sent as copies', async () => {
  const { keys } = await move(
    'https://formsubmit.co/me@example.com',
    hidden('_cc', 'a@example.com,b@example.com') + hidden('_bcc', 'c@example.com'),
  );
  expect(keys).toMatchObject({
    to: 'me@example.com',
    cc: 'a@example.com, b@example.com',
    bcc: 'c@example.com',
  });
});

test.each([
  ...[
    ...['csrf-token', 'csrfToken', '_csrfToken', 'csrf_test_name', 'contact[_token]'],
    ...['__RequestVerificationToken', '_wpnonce'],
  ],
  ...'form_build_id gform_unique_id _fluentform_3_fluentformnonce wpforms[nonce] CRAFT_CSRF_TOKEN'.split(' '),
  ...['tx_form_formframework[contact-12][__state]', 'hs_context', '__VIEWSTATEGENERATOR'],
])('a token of the old server does not become a field: %s', async (name) => {
  const { all, names } = await move('/contact', hidden(name, 'x1'));
  expect(names).toEqual(['name']);
  expect(all).toContain(`"${name}" is a token`);
});

test('an attribute that a field supports is kept, and one without an equivalent is reported', async () => {
  const { all } = await move(
    '/contact',
    '<input name="pin" inputmode="NUMERIC" readonly oninput="x()"><input name="b" readonly data-x="y" class="c">',
  );
  expect(all).toContain('the attribute "readonly" of "pin", "b" is left out');
  expect(all).toContain('the attribute "oninput" of "pin" is left out');
  expect(all).not.toMatch(/inputmode|data-x|"class"/);
  const form = '<form><input name="pin" inputmode="NUMERIC"></form>';
  expect(must(await moveIn(form, undefined)).fields[0]?.keys.attributes).toEqual({ inputmode: 'numeric' });
});

const moveWords = async (markup: string) => must(await moveIn(markup, undefined));

const canonical = '<link rel="canonical" href="https://www.example.com/de/contact/">';
const consent = (href: string) =>
  `<form><label><input type="checkbox" name="ok"> I read the<a href="${href}"> privacy <b>notice</b> </a>.</label></form>`;

test.each([
  ['a whole address', '', 'https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
  ['a telephone', '', 'tel:+4930123', 'tel:+4930123'],
  ['an address of mail', '', 'mailto:a@example.com', 'mailto:a@example.com'],
  ['a path', '', '/privacy', '/privacy'],
  ['a path, where the page says its address', canonical, '../privacy', 'https://www.example.com/de/privacy'],
  ['what would end the address', '', '/a(b)', '/a%28b%29'],
])('a link in a label: %s', async (_, head, href, address) => {
  const { fields, ...form } = await moveWords(head + consent(href));
  expect(fields[0]?.keys.label).toBe(`I read the [privacy notice](${address}) .`);
  const html = await formHtml(configText([{ fields, ...form }], 'page.html', 's.json'), '--', 'contact');
  const direction = address.startsWith('tel:') ? ' dir="auto"' : '';
  expect(html).toContain(`<a href="${address.replaceAll('&', '&amp;')}"${direction}>privacy notice</a>`);
});

const fieldset = (legend: string, ...names: readonly string[]) =>
  `<fieldset><legend>${legend}</legend>${names.map((name) => `<input name="${name}">`).join('')}</fieldset>`;

test.each([
  ['each legend', fieldset('A', 'a', 'b') + fieldset('B', 'c'), ['A: a b', 'B: c'], []],
  [
    'the outer one of two',
    `<fieldset><legend>All</legend>${fieldset('A', 'a')}<input name="b"></fieldset>`,
    ['All: a b'],
    [],
  ],
  [
    'none for a choice, of which it is the label',
    '<fieldset><legend>R</legend><input type="radio" name="r" value="1"></fieldset>',
    [],
    [],
  ],
  ['none without words', fieldset('', 'a'), [], []],
  [
    'hidden fields stand where they like',
    `<fieldset><legend>A</legend><input name="a"><input type="hidden" name="h" value="1"><input name="b"></fieldset>`,
    ['A: a b'],
    [],
  ],
  ['none whose field stands elsewhere, too', `${fieldset('A', 'a', 'b')}<input name="a">`, [], ['"A"']],
  ['of one field', `<input name="b"><input name="x">${fieldset('Z', 'a')}`, ['Z: a'], []],
])('groups: %s', async (_, markup, expected, remarks) => {
  const moved = await moveWords(`<form>${markup}</form>`);
  expect(moved.groups.map(({ legend, fields }) => `${legend}: ${fields.join(' ')}`)).toEqual(expected);
  expect(
    moved.remarks.filter(({ text }) => text.includes('legend')).map(({ text }) => /"[^"]*"/.exec(text)?.[0]),
  ).toEqual(remarks);
  const config = configText([moved], 'page.html', 's.json');
  expect(parseConfig(config, 'webform.yaml').ok, config).toBe(true);
});
