/** A doubted visitor reads what to do, keeps the typed text, and gets through. */
import type { Page } from 'playwright-core';
import { describeInBrowser, isSound, openBy, openPage, screenshot, stage } from './stage.ts';

/** Many links to many sites, which is always doubted. */
const text = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join('\n');

async function staged(isEnglish = false) {
  const said = (en: string, de: string, ar: string) => (isEnglish ? en : `{en: ${en}, de: ${de}, ar: ${ar}}`);
  const forms = `
  contact:
    title: Write to us
    ${isEnglish ? '' : 'languages: [en, de, ar]'}
    confirmation: ${said('We have your message.', 'Ihre Nachricht ist da.', 'وصلت رسالتك.')}
    fields:
      - {name: kind, type: radios, label: ${said('You are', 'Sie sind', 'أنت')}, options: [personal, business]}
      - {name: company, label: ${said('Company', 'Firma', 'الشركة')}, visible_when: {field: kind, is: business}}
      - {name: email, type: email, required: true, label: ${said('Email', 'E-Mail', 'البريد')}}
      - {name: text, type: textarea, required: true, label: ${said('Message', 'Nachricht', 'الرسالة')}}
    spam: {doubt: {challenge: 9}, signals: {links: 20}}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
  const at = await stage({ forms });
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
  return { at, isDelivered };
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

/** The number in its label. */
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
    test.each(looks)('%s: a number, with the mouse, after a wrong one', async (language, look) => {
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
      await isSound(copy);
      await page.locator('.form-challenge input').fill(await numberOn(page));
      await send(page, language);
      await page.getByText(words[language][4]).waitFor();
      isDelivered();
    });

    test('with the keyboard only: the reason is read first, then the question, then the button (WCAG 2.4.3)', async () => {
      const { at, isDelivered } = await staged();
      const page = await openPage({ url: `${at.origin}/api/v1/form/contact`, javaScriptEnabled: false });
      await fill(page);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('.form-challenge').waitFor();
      expect(await page.title()).toBe('Error: Write to us');
      expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
      expect(await page.locator(':focus').innerText()).toMatch(/^Not sent yet/);
      await page.keyboard.press('Tab');
      const question = page.getByRole('textbox', { name: `Type the number ${await numberOn(page)}` });
      expect(await question.evaluate((input) => input.matches(':focus'))).toBe(true);
      expect(await page.locator('form').ariaSnapshot()).toMatch(
        /alert:\n\s+- list:\n.*one more check is needed.*\n\s+- text: Type the number \d{4}\n.*The number shows that you are a person.*\n\s+- textbox "Type the number \d{4}".*\n\s+- button "Send"/,
      );
      await page.keyboard.type(await numberOn(page));
      await page.keyboard.press('Enter');
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
    });
  });

  describe('with JavaScript, the browser solves a puzzle', () => {
    test('htmx4: the reason is read, everything is kept, and resending with the keyboard succeeds', async () => {
      const { at, isDelivered } = await staged(true);
      const page = await openBy('htmx4', at, 'contact', await openPage({ isIsolated: true }));
      await page.getByLabel('business', { exact: true }).check();
      await fill(page);
      await page.getByLabel('Email').focus();
      await page.keyboard.press('Enter');
      await page.getByText('please send the form again').waitFor();
      await isKept(page);
      expect(await page.locator(':focus').getAttribute('role')).toBe('alert');
      // The question is only for browsers that cannot solve the puzzle.
      await page.locator('.form-challenge').waitFor({ state: 'detached' });
      await isSound(page, 'challenge-solved-htmx4');
      await page.keyboard.press('Tab');
      expect(await page.locator(':focus').innerText()).toBe('Send');
      await page.keyboard.press('Enter');
      await page.getByText(words.en[4]).waitFor();
      isDelivered();
    });
  });
});
