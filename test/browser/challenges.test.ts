/** A person who is doubted reads what to do, keeps what was typed, and gets through. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startHttpSink } from '../support/http_sink.ts';
import {
  complaintsOf,
  describeInBrowser,
  documentWith,
  isNotAboutFocus,
  openPage,
  openWithHtmx,
  type Stage,
  screenshot,
  stage,
  violationsIn,
} from './stage.ts';

/** Many addresses that lead to many places: whatever else it says, that is doubted. */
const text = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join('\n');

interface Setup {
  readonly keys?: string;
  readonly captcha?: 'turnstile' | 'recaptcha_v3';
  /** A line of the form's other keys. */
  readonly form?: string;
  /** In English alone. */
  readonly isEnglish?: true;
}

async function staged({ keys = '', form = '', captcha, isEnglish }: Setup = {}) {
  const said = (en: string, de: string, ar: string) => (isEnglish ? en : `{en: ${en}, de: ${de}, ar: ${ar}}`);
  /** What the provider says of a token: as that says itself. */
  const provider = await startHttpSink({
    answer: ({ body }) => ({
      body: JSON.stringify({ success: new URLSearchParams(body).get('response') === 'solved' }),
    }),
  });
  const forms = `
  contact:
    title: Write to us
    ${isEnglish ? '' : 'languages: [en, de, ar]'}
    ${form}
    confirmation: ${said('We have your message.', 'Ihre Nachricht ist da.', 'وصلت رسالتك.')}
    fields:
      - {name: kind, type: radios, label: ${said('You are', 'Sie sind', 'أنت')}, options: [personal, business]}
      - {name: company, label: ${said('Company', 'Firma', 'الشركة')}, visible_when: {field: kind, is: business}}
      - {name: email, type: email, required: true, label: ${said('Email', 'E-Mail', 'البريد')}}
      - {name: text, type: textarea, required: true, label: ${said('Message', 'Nachricht', 'الرسالة')}}
    spam: {doubt: {challenge: 9}, signals: {links: 20}${keys}}
${captcha ? `    captcha: {provider: ${captcha}, secret: s, site_key: key, only_in_doubt: true, verify_url: "${provider.origin}/"}\n` : ''}    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
  const at = await stage({ forms });
  const config = `forms:${forms.replaceAll('$sink', at.sink.origin)}`;
  const isDelivered = () => {
    expect(at.delivered).toEqual([
      [
        ['company', 'Engines'],
        ['email', 'ada@example.org'],
        ['kind', 'business'],
        ['text', text.replaceAll('\n', at.delivered[0]?.at(-1)?.[1].includes('\r') ? '\r\n' : '\n')],
      ],
    ]);
  };
  return { at, config, provider, isDelivered };
}

const words = {
  en: ['Company', 'Email', 'Message', 'Send', 'We have your message.'],
  de: ['Firma', 'E-Mail', 'Nachricht', 'Senden', 'Ihre Nachricht ist da.'],
  ar: ['الشركة', 'البريد', 'الرسالة', 'إرسال', 'وصلت رسالتك.'],
} as const;
type Language = keyof typeof words;

async function fill(page: Page, language: Language = 'en') {
  const [company, email, message] = words[language];
  await page.getByLabel('business', { exact: true }).check();
  await page.getByLabel(company).fill('Engines');
  await page.getByLabel(email).fill('ada@example.org');
  await page.getByLabel(message).fill(text);
}

async function isKept(page: Page, language: Language = 'en') {
  const [company, email, message] = words[language];
  expect(await page.getByLabel('business', { exact: true }).isChecked()).toBe(true);
  expect(await page.getByLabel(company).inputValue()).toBe('Engines');
  expect(await page.getByLabel(email).inputValue()).toBe('ada@example.org');
  expect(await page.getByLabel(message).inputValue()).toBe(text);
}

/** What its label says. */
const numberOn = async (page: Page) =>
  /\d{4}/.exec(await page.locator('.form-challenge label').innerText())?.[0] ?? '';

const send = (page: Page, language: Language = 'en') =>
  page.getByRole('button', { name: words[language][3] }).click();

describeInBrowser('challenges', () => {
  describe('without JavaScript', () => {
    const looks = [
      ['en', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
      ['de', { colorScheme: 'dark', viewport: { width: 390, height: 800 } }],
      ['ar', { colorScheme: 'light', viewport: { width: 390, height: 800 } }],
    ] as const;
    test.each(looks)('%s: a number, by mouse, after one that was wrong', async (language, look) => {
      const { at, isDelivered } = await staged();
      const page = await openPage({ javaScriptEnabled: false, ...look });
      await page.goto(`${at.origin}/api/v1/form/contact?lang=${language}`);
      await fill(page, language);
      await send(page, language);
      await page.locator('.form-challenge').waitFor();
      await isKept(page, language);
      await screenshot(page, `challenge-${language}`);
      await page.locator('.form-challenge input').fill('999');
      await send(page, language);
      await page.locator('.form-challenge .field-error').waitFor();
      await isKept(page, language);
      await screenshot(page, `challenge-${language}-wrong`);
      // axe-core itself needs JavaScript.
      at.serve('/copy', await page.content());
      const copy = await openPage(look);
      await copy.goto(`${at.host}/copy`);
      expect(await violationsIn(copy)).toEqual([]);
      await page.locator('.form-challenge input').fill(await numberOn(page));
      await send(page, language);
      await page.getByText(words[language][4]).waitFor();
      isDelivered();
    });

    test('by keyboard alone: the reason is read first, then the question, then the button', async () => {
      const { at, isDelivered } = await staged();
      const page = await openPage({ javaScriptEnabled: false });
      await page.goto(`${at.origin}/api/v1/form/contact`);
      await fill(page);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('.form-challenge').waitFor();
      expect(await page.title()).toBe('Error: Write to us');
      expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
      expect(await page.locator(':focus').innerText()).toMatch(/^Nothing was sent yet/);
      await page.keyboard.press('Tab');
      const question = page.getByRole('textbox', { name: `Type the number ${await numberOn(page)}` });
      expect(await question.evaluate((input) => input.matches(':focus'))).toBe(true);
      expect(await page.locator('form').ariaSnapshot()).toMatch(
        /alert:\n\s+- list:\n.*Nothing was sent yet.*\n\s+- text: Type the number \d{4}\n.*It shows that you are a person.*\n\s+- textbox "Type the number \d{4}".*\n\s+- button "Send"/,
      );
      await page.keyboard.type(await numberOn(page));
      await page.keyboard.press('Enter');
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
    });
  });

  describe('with JavaScript, the browser solves a puzzle', () => {
    const open = async (medium: 'page' | 'htmx2' | 'htmx4' | 'form.js') => {
      const given = await staged({ isEnglish: true });
      const { at } = given;
      const page = await openPage({ isAlone: true });
      const url = `${at.origin}/api/v1/form/contact`;
      if (medium === 'page') await page.goto(url);
      else if (medium === 'htmx2' || medium === 'htmx4') {
        await openWithHtmx(at, medium, 'same', ['contact'], page);
      } else {
        const body = `<relay-form src="${url}"></relay-form><script src="${at.origin}/api/v1/form.js"></script>`;
        at.serve('/page', documentWith(body));
        await page.goto(`${at.host}/page`);
      }
      await page.getByLabel('business', { exact: true }).check();
      await fill(page);
      return { ...given, page };
    };

    test.each(['page', 'htmx4'] as const)(
      '%s: the reason is read, all is kept, and sent once more, by keyboard, it is through',
      async (medium) => {
        const { page, isDelivered } = await open(medium);
        await page.getByLabel('Email').focus();
        await page.keyboard.press('Enter');
        await page.getByText('please send the form once more').waitFor();
        await isKept(page);
        expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
        // What only a person can do is for browsers that cannot do it.
        await page.locator('.form-challenge').waitFor({ state: 'detached' });
        await screenshot(page, `challenge-solved-${medium}`);
        expect(await violationsIn(page)).toEqual([]);
        await page.keyboard.press('Tab');
        expect(await page.locator(':focus').innerText()).toBe('Send');
        await page.keyboard.press('Enter');
        await page.getByText(words.en[4]).waitFor();
        isDelivered();
        expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
      },
    );

    test('form.js: by itself, and nobody is asked', async () => {
      const { page, isDelivered } = await open('form.js');
      await send(page);
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
      expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
    });
  });

  describe('with a captcha for those alone who are doubted', () => {
    /** What its script does: a button to press, and a token once it was. */
    const providerScript = `{
      const render = (box, parameters = {}) => {
        const name = parameters['response-field-name'] || box.dataset.responseFieldName || 'cf-turnstile-response';
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = 'I am human';
        button.addEventListener('click', () => {
          const input = document.createElement('input');
          Object.assign(input, { type: 'hidden', name, value: 'solved' });
          box.replaceChildren('Solved', input);
        });
        box.append(button);
      };
      window.turnstile = { render, reset: () => {} };
      for (const box of document.querySelectorAll('.cf-turnstile')) render(box);
    }`;
    /** How often it was asked for. */
    async function withProvider(page: Page, isBlocked = false) {
      let asked = 0;
      await page.route('https://challenges.cloudflare.com/**', (route) => {
        asked += 1;
        return isBlocked
          ? route.abort()
          : route.fulfill({ contentType: 'text/javascript', body: providerScript });
      });
      return () => asked;
    }
    const isReady = async (page: Page) => {
      await page.getByText('please solve the task below').waitFor();
      await isKept(page);
      expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
    };

    test('on a page: nobody loads it but who is asked, who solves it and is through', async () => {
      const { at, provider, isDelivered } = await staged({ captcha: 'turnstile' });
      const page = await openPage({ isAlone: true });
      const asked = await withProvider(page);
      await page.goto(`${at.origin}/api/v1/form/contact`);
      await fill(page);
      expect(asked()).toBe(0);
      await send(page);
      await isReady(page);
      await page.getByRole('button', { name: 'I am human' }).waitFor();
      await screenshot(page, 'challenge-captcha');
      expect(await violationsIn(page)).toEqual([]);
      await page.getByRole('button', { name: 'I am human' }).click();
      await send(page);
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
      expect([asked(), provider.requests.length]).toEqual([1, 1]);
      expect(complaintsOf(page)).toEqual([]);
    });

    test('on a page, by keyboard: the reason, the captcha, the other way, the button', async () => {
      const { at, isDelivered } = await staged({ captcha: 'turnstile' });
      const page = await openPage({ isAlone: true });
      await withProvider(page);
      await page.goto(`${at.origin}/api/v1/form/contact`);
      await fill(page);
      await send(page);
      await isReady(page);
      await page.getByRole('button', { name: 'I am human' }).waitFor();
      const reached: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        await page.keyboard.press('Tab');
        reached.push(await page.locator(':focus').innerText());
      }
      expect(reached).toEqual(['I am human', 'If you cannot solve it, type a number instead.', 'Send']);
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByText('Solved').waitFor();
      await page.getByLabel('Email').focus();
      await page.keyboard.press('Enter');
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
    });

    test('where a browser or a network keeps the provider out, the number is the way', async () => {
      const { at, provider, isDelivered } = await staged({ captcha: 'turnstile' });
      const page = await openPage({ isAlone: true });
      await withProvider(page, true);
      await page.goto(`${at.origin}/api/v1/form/contact`);
      await fill(page);
      await send(page);
      await isReady(page);
      await page.getByText('If you cannot solve it').click();
      await page.getByLabel('Type the number').fill('12');
      await send(page);
      await page.getByText('That was not the number.').waitFor();
      await screenshot(page, 'challenge-captcha-blocked');
      await page.getByLabel('Type the number').fill(await numberOn(page));
      await send(page);
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
      expect(provider.requests).toEqual([]);
    });

    const openElement = async (at: Stage, page: Page, language: Language) => {
      const url = `${at.origin}/api/v1/form/contact?lang=${language}`;
      at.serve(
        '/page',
        documentWith(
          `<relay-form src="${url}"></relay-form><script src="${at.origin}/api/v1/form.js"></script>`,
        ),
      );
      await page.goto(`${at.host}/page`);
      await page.getByLabel('business', { exact: true }).check();
      await fill(page, language);
    };

    test.each([
      ['own', 'in a form of the page’s own'],
      ['steps', 'in steps'],
      ['score', 'with a captcha that nobody sees'],
    ] as const)('form.js, %s: %s', async (kind, _where) => {
      const { at, isDelivered } = await staged({
        captcha: kind === 'score' ? 'recaptcha_v3' : 'turnstile',
        isEnglish: true,
        ...(kind === 'steps' && {
          form: 'steps: [{title: You, fields: [kind, company]}, {title: Text, fields: [email, text]}]',
        }),
      });
      const page = await openPage({ isAlone: true });
      await withProvider(page);
      await page.route('https://www.google.com/recaptcha/**', (route) =>
        route.fulfill({
          contentType: 'text/javascript',
          body: "window.grecaptcha = {ready: (then) => then(), execute: async () => 'solved'};",
        }),
      );
      if (kind === 'own') {
        const own = `<form data-form-relay="contact">
          <fieldset><legend>You are</legend><label><input type="radio" name="kind" value="business"> business</label></fieldset>
          <label>Company <input name="company"></label> <label>Email <input name="email" type="email"></label>
          <label>Message <textarea name="text"></textarea></label> <button>Send</button></form>`;
        at.serve('/page', documentWith(`${own}<script src="${at.origin}/api/v1/form.js"></script>`));
        await page.goto(`${at.host}/page`);
        await fill(page);
      } else if (kind === 'score') await openElement(at, page, 'en');
      else {
        const element = `<relay-form src="${at.origin}/api/v1/form/contact"></relay-form>`;
        at.serve('/page', documentWith(`${element}<script src="${at.origin}/api/v1/form.js"></script>`));
        await page.goto(`${at.host}/page`);
        await page.getByLabel('business', { exact: true }).check();
        await page.getByLabel('Company').fill('Engines');
        await page.getByRole('button', { name: 'Next' }).click();
        await page.getByLabel('Email').fill('ada@example.org');
        await page.getByLabel('Message').fill(text);
      }
      await send(page);
      await page.getByText('please solve the task below').waitFor();
      await screenshot(page, `challenge-captcha-${kind}`);
      if (kind !== 'score') await page.getByRole('button', { name: 'I am human' }).click();
      await send(page);
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
    });

    test.each(['htmx4'] as const)('%s: in the page, which stays', async (medium) => {
      const { at, provider, isDelivered } = await staged({ captcha: 'turnstile', isEnglish: true });
      const page = await openPage({ isAlone: true });
      const asked = await withProvider(page);
      await openWithHtmx(at, medium, 'same', ['contact'], page);
      await page.getByLabel('business', { exact: true }).check();
      await fill(page);
      expect(asked()).toBe(0);
      await send(page);
      await isReady(page);
      await page.getByRole('button', { name: 'I am human' }).click();
      await page.getByLabel('Email').fill('');
      await page.locator('form').evaluate((form: HTMLFormElement) => {
        form.noValidate = true;
      });
      await send(page);
      await page.getByText('Enter an e-mail address').first().waitFor();
      // A token is good for one submission: the next captcha is there already.
      await page.getByLabel('Email').fill('ada@example.org');
      await page.getByRole('button', { name: 'I am human' }).click();
      await screenshot(page, `challenge-captcha-${medium}`);
      await send(page);
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
      expect(provider.requests).toHaveLength(2);
      expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
    });
  });
});
