/** A captcha for those alone who are doubted, in forms that the relay's script sends. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startHttpSink } from '../support/http_sink.ts';
import { contact, fill, isSent, message, script, send, serve, tag } from './guarded.ts';
import { describeInBrowser, openPage, stage } from './stage.ts';

const links = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');

/** Cloudflare's, as far as a form sees it: a button to press, and a token once it was. */
const turnstile = `window.turnstile = {
  render: (box) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'I am human' });
    button.onclick = () => {
      const input = Object.assign(document.createElement('input'), { type: 'hidden', name: 'cf-turnstile-response', value: 'solved' });
      box.replaceChildren('Solved', input);
    };
    box.replaceChildren(button);
    return box;
  },
  reset: (box) => turnstile.render(box),
};`;
/** Google's, which shows nothing. */
const recaptcha = `window.grecaptcha = { execute: async () => 'solved' };`;

async function staged(page: Page, provider: 'turnstile' | 'recaptcha_v3', isBlocked = false) {
  const judge = await startHttpSink({
    answer: ({ body }) => ({
      body: JSON.stringify({ success: new URLSearchParams(body).get('response') === 'solved', score: 0.9 }),
    }),
  });
  const captcha = `    captcha: {provider: ${provider}, secret: s, site_key: key, only_in_doubt: true, verify_url: "${judge.origin}/"}\n`;
  const at = await stage({
    forms: contact('{doubt: {challenge: 1}, signals: {links: 10}}').replace(/( +outputs)/, `${captcha}$1`),
  });
  let asked = 0;
  await page.route(/cloudflare\.com|google\.com|recaptcha\.net/, (route) => {
    asked += 1;
    if (isBlocked) return route.abort();
    return route.fulfill({ contentType: 'text/javascript', body: turnstile + recaptcha });
  });
  await serve(at, page, tag(at), script(at));
  return { at, judge, asked: () => asked };
}

describeInBrowser('a captcha on demand', () => {
  test('one that shows nothing scores whoever is asked', async () => {
    const page = await openPage({ isAlone: true });
    const { at, asked } = await staged(page, 'recaptcha_v3');
    await fill(page, links);
    await send(page);
    await page.locator('.form-errors').waitFor();
    expect(at.delivered).toEqual([]);
    await send(page);
    await isSent(page);
    expect(at.delivered).toEqual([message(links)]);
    expect(asked()).toBe(1);
  });
});
