/** A code from a mail, typed into the form, in every way to send one. */
import type { Page } from 'playwright-core';
import { decodeMail, smtpSink, tempFolder } from '../support/index.ts';
import {
  describeInBrowser,
  documentWith,
  isSound,
  openBy,
  openPage,
  type Stage,
  screenshot,
  stage,
} from './stage.ts';

async function open() {
  const smtp = await smtpSink();
  const at = await stage({
    forms: `
  vote:
    title: Board
    confirmation: You have voted.
    fields:
      - {name: email, type: email, required: true, verify: code}
      - {name: reason, type: textarea}
    verification_mail: {subject: Code, text: Type this., from: b@board.example, through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}}
    outputs: [{type: http_post, url: "$sink", mapping: "*", retries: 0}]
  steps:
    title: Board
    fields: [{name: email, type: email, required: true, verify: code}, {name: reason}]
    steps: [{title: You, fields: [email]}, {title: More, fields: [reason]}]
    verification_mail: {subject: Code, text: Type this., from: b@board.example, through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}}
    outputs: [{type: http_post, url: "$sink", mapping: "*", retries: 0}]
counted_in: ${tempFolder()}
`,
  });
  const code = () => /Your code: (\d{6})/.exec(decodeMail(smtp.mails.at(-1)?.raw ?? '').text)?.[1] ?? '';
  return { at, code, mails: smtp.mails };
}

/** A page's own form, whose style shows hidden elements. */
const own = `<style>.field { display: grid !important; }</style>
<form data-form-relay="vote" lang="en"><p><label>Email <input type="email" name="email"></label></p><p><label>Reason <textarea name="reason"></textarea></label></p><button>Send</button></form>`;

async function visit(at: Stage, way: 'html' | 'page' | 'htmx4' | 'script' | 'own'): Promise<Page> {
  const page = await openPage({ locale: 'en', javaScriptEnabled: way !== 'html' });
  if (way !== 'own') return openBy(way === 'html' ? 'page' : way, at, 'vote', page);
  at.serve('/page', documentWith(`${own}<script src="${at.origin}/api/v1/form.js"></script>`));
  await page.goto(`${at.host}/page`);
  return page;
}

describeInBrowser('a code from a mail', () => {
  test.each(['page', 'htmx4', 'script'] as const)(
    'is mailed again by a button that is disabled for a minute, and is not part of an earlier step (%s)',
    async (way) => {
      const { at, code, mails } = await open();
      const page = await openPage({ locale: 'en', isIsolated: true });
      await page.clock.install();
      await openBy(way, at, 'steps', page);
      await page.getByLabel('Email').fill('ada@visitor.example');
      const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
      if (way !== 'htmx4') await press('Next');
      await press(/^Send$/);
      const again = page.getByRole('button', { name: 'Send the code again' });
      await again.waitFor();
      expect(await again.isDisabled()).toBe(true);
      await page.clock.runFor(30_000);
      expect(await again.textContent()).toMatch(/\((29|30)\)$/);
      expect(await again.isDisabled()).toBe(true);
      await page.clock.runFor(31_000);
      await page.getByText('You can have the code sent again now.').waitFor();
      if (way !== 'htmx4') {
        await press('Back');
        expect(await page.getByLabel('Code from the e-mail').isVisible()).toBe(false);
        await press('Next');
      }
      await again.click();
      await expect.poll(() => mails.length).toBe(2);
      await again.and(page.locator(':disabled')).waitFor();
      await isSound(page, `code_again_${way}`);
      await page.getByLabel('Code from the e-mail').fill(code());
      await press(/^Send$/);
      await page.getByText('Thank you.').waitFor();
      expect(at.delivered).toHaveLength(1);
    },
  );

  test.each(['html', 'page', 'htmx4', 'script', 'own'] as const)(
    'is typed into the form, which keeps the rest (%s)',
    async (way) => {
      const { at, code, mails } = await open();
      const page = await visit(at, way);
      const send = () => page.getByRole('button', { name: 'Send', exact: true }).click();
      const input = page.getByLabel('Code from the e-mail');
      await page.getByLabel('Email').fill('ada@visitor.example');
      await page.getByLabel('Reason').fill('One,\ntwo');
      expect(await input.isVisible()).toBe(false);
      await send();
      await page.getByText('We have sent a code of six digits to a•••@visitor.example.').waitFor();
      // There is no error, and the visitor can type immediately.
      expect(await page.locator('.form-status').textContent()).toBe('');
      expect(await input.evaluate((one) => one === document.activeElement)).toBe(true);
      if (way !== 'html') await isSound(page);
      await screenshot(page, `code_${way}`);
      await input.fill('12345');
      await send();
      await page.getByText('That is not the code').waitFor();
      const described = await input.evaluate((one) =>
        one
          .getAttribute('aria-describedby')
          ?.split(' ')
          .map((id) => document.getElementById(id)?.textContent),
      );
      expect(described?.at(-1)).toContain('That is not the code');
      expect(await input.evaluate((one) => one === document.activeElement)).toBe(true);
      await screenshot(page, `code_wrong_${way}`);
      expect(await input.inputValue()).toBe('');
      expect(await page.getByLabel('Reason').inputValue()).toBe('One,\ntwo');
      // Enter presses the form's own button, not the one that requests another mail.
      await input.fill(code());
      await input.press('Enter');
      await page.getByText('You have voted.').waitFor();
      expect(at.delivered).toHaveLength(1);
      expect(mails).toHaveLength(1);
    },
  );
});
