import { expect, test } from 'vitest';
import { moveIn } from '../../packages/page/src/moving_in/move_in.ts';
import { must } from '../support/must.ts';

const key = 'data-sitekey="k3y"';
const scoring = (query: string) => `<script src="https://www.google.com/recaptcha/api.js${query}"></script>`;

test.each([
  ['recaptcha_v2', 'k3y', 'RECAPTCHA_SECRET', `<div class="g-recaptcha" ${key}></div>`],
  [
    'recaptcha_v2, on a button',
    'k3y',
    'RECAPTCHA_SECRET',
    `<button class="btn g-recaptcha" ${key}>Go</button>`,
  ],
  [
    'recaptcha_v3, on a button',
    'k3y',
    'RECAPTCHA_SECRET',
    `<button class="g-recaptcha" ${key} data-action="submit">Go</button>`,
  ],
  ['recaptcha_v3, by a script', 'k3y', 'RECAPTCHA_SECRET', scoring('?render=k3y')],
  ['hcaptcha', 'k3y', 'HCAPTCHA_SECRET', `<div class="h-captcha" ${key}></div>`],
  ['turnstile', 'k3y', 'TURNSTILE_SECRET', `<div class="cf-turnstile" ${key}></div>`],
])('%s', async (name, siteKey, variable, markup) => {
  const { captcha } = must(await moveIn(`<form><input name="a">${markup}</form>`, undefined));
  expect(captcha?.isComplete).toBe(true);
  expect(captcha?.keys).toMatchObject({
    provider: name.split(',')[0],
    site_key: siteKey,
    secret: `{{ env "${variable}" }}`,
  });
});

test.each([
  ['a script that draws a widget which is not there', scoring('?render=explicit')],
  ['a widget outside of the form', ''],
])('none is %s', async (_, markup) => {
  const page = `<div class="h-captcha" ${key}></div><form><input name="a">${markup}</form>`;
  expect(must(await moveIn(page, undefined)).captcha).toBeUndefined();
});

test('the field that a widget was told to answer in is no field of the form', async () => {
  const widget = `<div class="cf-turnstile" ${key} data-response-field-name="proof"></div>`;
  const page = `<form><input name="a"><input type="hidden" name="proof">${widget}</form>`;
  const { captcha, fields } = must(await moveIn(page, undefined));
  expect(captcha?.keys.field).toBe('proof');
  expect(fields.map(({ name }) => name)).toEqual(['a']);
});

test('without a key of the owner’s, it stands in a comment', async () => {
  const { captcha } = must(await moveIn('<form><input name="a"><p class="h-captcha"></p></form>', undefined));
  expect(captcha?.isComplete).toBe(false);
});
