import { describe, expect, test } from 'vitest';
import { moveIn } from '../../packages/page/src/moving_in/move_in.ts';
import { must } from '../support/must.ts';

const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;

async function move(action: string, controls: string) {
  const page = `<form action="${action}" method="post">${controls}<input name="name"></form>`;
  const { output, remarks, fields, redirect } = must(await moveIn(page, undefined));
  const all = [...output.remarks, ...remarks].map(({ kind, text }) => `${kind}: ${text}`).join('\n');
  return { keys: output.keys, all, names: fields.map(({ name }) => name), redirect };
}

describe('what a service did, and the config does not, is told with its value', () => {
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
    expect(all).not.toMatch(/redirect says it here|reply_to says it here|cc says it here/);
    expect(redirect).toBeUndefined();
  });
});

test('copies stay copies', async () => {
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
  [
    '?subject=Order%20from%20the%20shop&amp;cc=till@example.com&amp;bcc=log@example.com',
    { subject: 'Order from the shop', cc: 'till@example.com', bcc: 'log@example.com' },
  ],
  ['?SUBJECT=1%2B1+2%25', { subject: '1+1+2%' }],
  [',b@example.com?to=c%40example.com', { to: 'info@example.com, b@example.com, c@example.com' }],
])('an address mailto:info@example.com%s', async (rest, expected) => {
  const { keys } = await move(`mailto:info@example.com${rest}`, '');
  expect(keys).toMatchObject({ to: 'info@example.com', ...expected });
});

test.each(['body=Hello%20there', 'in-reply-to=Hello%20there', 'cc=Hello%20there'])(
  'what a mailto address says beside is told: %s',
  async (field) => {
    const { all } = await move(`mailto:info@example.com?${field}`, '');
    expect(all).toMatch(/to_do: .*"Hello there"/);
  },
);

test.each([
  ['Order of %{name}', 'Order of {{ .fields.name }}'],
  ['{{ name }} at {name}, [name]', '{{ .fields.name }} at {{ .fields.name }}, {{ .fields.name }}'],
  ['[Shop] %{formName}', '[Shop] {{ .form.id }}'],
])('placeholders of a service in a subject: %s', async (subject, template) => {
  const { keys } = await move('https://formspree.io/f/x', hidden('_subject', subject));
  expect(keys.subject).toBe(template);
});

test.each([
  ...[
    'csrf-token',
    'csrfToken',
    '_csrfToken',
    'csrf_test_name',
    'contact[_token]',
    '__RequestVerificationToken',
    '_wpnonce',
  ],
  ...[
    'form_build_id',
    'gform_unique_id',
    '_fluentform_3_fluentformnonce',
    'wpforms[nonce]',
    'CRAFT_CSRF_TOKEN',
  ],
  ...['tx_form_formframework[contact-12][__state]', 'hs_context', '__VIEWSTATEGENERATOR'],
])('a token of the old server is no field: %s', async (name) => {
  const { all, names } = await move('/contact', hidden(name, 'x1'));
  expect(names).toEqual(['name']);
  expect(all).toContain(`"${name}" is a token`);
});

test('a token is not sent on to the server that took the form, either', async () => {
  const { all, names, keys } = await move('https://shop.example/contact', hidden('csrf_token', 'x1'));
  expect(keys).toMatchObject({ type: 'http_post' });
  expect(names).toEqual(['name']);
  expect(all).toContain('to_do: "csrf_token" is a token by which shop.example knows its own forms');
});

test.each(['token_count', 'pronounce', 'state', 'form_id', 'page_id', 'announcement'])(
  'a hidden field of another meaning stays: %s',
  async (name) => {
    expect((await move('/contact', hidden(name, '7'))).names).toEqual([name, 'name']);
  },
);
