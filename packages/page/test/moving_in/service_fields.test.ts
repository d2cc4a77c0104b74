import { describe, expect, test } from 'vitest';
import { must } from '../../../../test/support/must.ts';
import { moveIn } from '../../src/moving_in/move_in.ts';

const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;

async function move(action: string, controls: string) {
  const page = `<form action="${action}" method="post">${controls}<input name="name"></form>`;
  const { outputs, remarks, fields, redirect } = must(await moveIn(page, undefined));
  const all = [...outputs.flatMap((output) => output.remarks), ...remarks]
    .map(({ kind, text }) => `${kind}: ${text}`)
    .join('\n');
  return { keys: outputs[0]?.keys ?? {}, all, names: fields.map(({ name }) => name), redirect };
}

describe('a task of a service that the config does not do is reported with its value', () => {
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

test('an attribute that a field takes is kept, and one that nothing does is reported', async () => {
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
