import type { Page } from 'playwright-core';
import { httpSink } from '../support/index.ts';
import { mistakesIn } from '../support/validate.ts';
import {
  describeInBrowser,
  documentWith,
  openBy,
  openPage,
  printed,
  screenshot,
  send,
  stage,
  type Way,
} from './stage.ts';

/** Stubs of the providers' scripts: a widget writes one token, which is valid for one submission. */
const providerScript = ([global, className, field]: readonly [string, string, string]) => `
  const inputs = [];
  const render = (box, parameters = {}) => {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = parameters['response-field-name'] || box.dataset.responseFieldName || '${field}';
    input.value = 'token-' + Math.random();
    box.append(input);
    return inputs.push(input) - 1;
  };
  window.${global} = {
    render,
    ready: (then) => then(),
    reset: (widget) => {
      inputs[widget].value = 'token-' + Math.random();
    },
    execute: async () => 'token-' + Math.random(),
  };
  if (!document.currentScript.src.endsWith('?render=explicit')) {
    for (const box of document.querySelectorAll('.${className}')) render(box);
  }`;

const google = 'https://www.google.com/recaptcha/api.js';
const cloudflare = 'https://challenges.cloudflare.com/turnstile/v0/api.js';
const providers = {
  recaptcha_v2: [google, 'grecaptcha', 'g-recaptcha', 'g-recaptcha-response'],
  recaptcha_v3: [`${google}?render=key`, 'grecaptcha', 'none', 'g-recaptcha-response'],
  hcaptcha: ['https://js.hcaptcha.com/1/api.js', 'hcaptcha', 'h-captcha', 'h-captcha-response'],
  turnstile: [cloudflare, 'turnstile', 'cf-turnstile', 'cf-turnstile-response'],
} as const;

type Medium = Way | 'printed' | 'own';
const cases: readonly (readonly [keyof typeof providers, Medium])[] = [
  ['recaptcha_v2', 'htmx2'],
  ['recaptcha_v3', 'page'],
  ['hcaptcha', 'htmx4'],
  ['hcaptcha', 'printed'],
  ['turnstile', 'page'],
  ['recaptcha_v2', 'script'],
  ['recaptcha_v3', 'script'],
  ['turnstile', 'own'],
];

describeInBrowser('captcha', () => {
  test.each(Object.keys(providers))('%s says that it needs JavaScript, if it is off', async (provider) => {
    const forms = `
  contact:
    fields: [{name: first_name}]
    captcha: {provider: ${provider}, secret: s, site_key: key}
    outputs: [{type: http_post, url: "$sink"}]
`;
    const at = await stage({ forms });
    const page = await openPage({ javaScriptEnabled: false });
    const says = async (url: string) => {
      await page.goto(url);
      expect(await page.locator('form').innerText()).toContain('This form needs JavaScript for its captcha.');
      await screenshot(page, `${provider}_without_javascript`);
    };
    await says(`${at.origin}/api/v1/form/contact`);
    const html = await printed(at, forms, 'contact', '--script');
    expect(await mistakesIn(html)).toEqual([]);
    at.serve('/page', documentWith(html));
    await says(`${at.host}/page`);
  });

  const text = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');

  /** A doubted visitor of a form that shows its captcha only in doubt; `script` is the provider's. */
  async function doubted(provider: keyof typeof providers, way: Way, script: string) {
    const verifier = await httpSink({ answer: () => ({ body: '{"success": true, "score": 1}' }) });
    const at = await stage({
      forms: `
  contact:
    confirmation: We have it.
    fields: [{name: first_name}, {name: text, type: textarea}]
    captcha: {provider: ${provider}, secret: s, site_key: key, only_in_doubt: true, verify_url: "${verifier.origin}/"}
    spam: {doubt: {challenge: 9}, signals: {links: 20}}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`,
    });
    const page = await openPage();
    const loads: string[] = [];
    await page.route(`${providers[provider][0].split('?', 1)[0]}*`, (route) => {
      loads.push(route.request().url());
      return route.fulfill({ contentType: 'text/javascript', body: script });
    });
    await openBy(way, at, 'contact', page);
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Text').fill(text);
    expect(loads).toEqual([]);
    await send(page);
    const arrives = async () => {
      await send(page);
      await page.getByText('We have it.').waitFor();
      expect(at.delivered.length).toBe(1);
      expect(loads).not.toEqual([]);
    };
    return { page, arrives };
  }

  test.each<[keyof typeof providers, Way]>([
    ['turnstile', 'script'],
    ['hcaptcha', 'page'],
    ['recaptcha_v2', 'htmx2'],
    ['recaptcha_v3', 'script'],
  ])('%s in %s: only doubted visitors load it', async (provider, way) => {
    const [, ...rest] = providers[provider];
    const { page, arrives } = await doubted(provider, way, `{${providerScript(rest)}}`);
    await page.getByText('please solve the task below').waitFor();
    expect(await page.getByLabel('Text').inputValue()).toBe(text);
    if (provider !== 'recaptcha_v3')
      await page.waitForFunction(
        (name) => document.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value,
        rest[2],
      );
    await arrives();
  });

  test.each<Way>(['script', 'page'])(
    'in %s: if it is blocked, doubted visitors type a number',
    async (way) => {
      const { page, arrives } = await doubted('turnstile', way, '');
      if (way === 'script') await page.getByRole('button', { name: 'type a number' }).click();
      await page.getByText('type a number').and(page.locator('summary')).click();
      const [number = ''] = /\d{4}/.exec(await page.locator('.form-challenge label').innerText()) ?? [];
      await page.getByLabel('Type the number').fill(number);
      await arrives();
    },
  );

  test.each(cases)('%s in %s: every attempt has a new token', async (provider, medium) => {
    const used: string[] = [];
    const verifier = await httpSink({
      answer: ({ body }) => {
        const token = new URLSearchParams(body).get('response') ?? '';
        const success = token.startsWith('token-') && !used.includes(token);
        used.push(token);
        return { body: JSON.stringify({ success }) };
      },
    });
    let isDown = true;
    const forms = `
  contact:
    redirect: $sink
    fields: [{name: first_name, min_length: 3}]
    captcha: {provider: ${provider}, secret: s, site_key: key, verify_url: "${verifier.origin}/"}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
    const at = await stage({ forms, sink: { answer: () => ({ status: isDown ? 500 : 200 }) } });
    const [url, ...rest] = providers[provider];
    const page: Page = await openPage();
    await page.route(`${url.split('?', 1)[0]}*`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: `{${providerScript(rest)}}` }),
    );
    if (medium === 'printed' || medium === 'own') {
      const own =
        '<form data-form-relay="contact"><label>First name <input name="first_name" minlength="3"></label><button>Send</button></form>';
      const script = `<script src="${at.origin}/api/v1/form.js" defer></script>`;
      at.serve(
        '/page',
        medium === 'own'
          ? documentWith(own, script)
          : documentWith(await printed(at, forms, 'contact', '--script')),
      );
      await page.goto(`${at.host}/page`);
    } else await openBy(medium, at, 'contact', page);
    const isByHtmx = medium.startsWith('htmx');
    const fresh = () =>
      page.waitForFunction(
        ([name, used]) => {
          const inputs = [...document.querySelectorAll<HTMLInputElement>(`[name="${name}"]`)];
          return inputs.length === 1 && inputs[0]?.value && !used?.includes(inputs[0].value);
        },
        [rest[2], used] as const,
      );
    const sendFresh = async () => {
      // The form's script requests a reCAPTCHA v3 token when it submits.
      if (provider !== 'recaptcha_v3' || isByHtmx) await fresh();
      await send(page);
    };
    await page.getByLabel('First name').fill('Ad');
    // Disables the browser's own check, so that the relay finds the mistake.
    await page.getByLabel('First name').evaluate((input) => input.removeAttribute('minlength'));
    await sendFresh();
    await page.getByText('Enter at least 3 characters.').waitFor();
    await page.getByLabel('First name').fill('Ada');
    await sendFresh();
    await page
      .getByRole('alert')
      .getByText(isByHtmx ? 'please try again later' : 'could not be delivered. Everything')
      .waitFor();
    isDown = false;
    await sendFresh();
    if (isByHtmx) await page.getByText('Thank you.').waitFor();
    else await page.waitForURL(`${at.sink.origin}/`);
    expect(new Set(used).size).toBe(3);
  });
});
