import { expect, test } from 'vitest';
import { must } from '../../../../test/support/must.ts';
import { moveIn } from '../../src/moving_in/move_in.ts';

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
