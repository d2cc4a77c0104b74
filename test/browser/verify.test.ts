/** A code from a mail, typed into the form in every way to send one. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { smtpSink } from '../spec/stage.ts';
import { decodeMail } from '../support/mail.ts';
import { tempFolder } from '../support/temp_folder.ts';
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
counted_in: ${tempFolder()}
`,
  });
  const code = () => /Your code: (\d{6})/.exec(decodeMail(smtp.mails.at(-1)?.raw ?? '').text)?.[1] ?? '';
  return { at, code, mails: smtp.mails };
}

/** A form of the page's own, whose style shows what is hidden. */
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
  test.each(['html', 'page', 'htmx4', 'script', 'own'] as const)(
    'is typed into the form, which keeps the rest (%s)',
    async (way) => {
      const { at, code, mails } = await open();
      const page = await visit(at, way);
      const send = () => page.getByRole('button', { name: 'Send' }).click();
      const input = page.getByLabel('Code from the e-mail');
      await page.getByLabel('Email').fill('ada@visitor.example');
      await page.getByLabel('Reason').fill('One,\ntwo');
      expect(await input.isVisible()).toBe(false);
      await send();
      await page.getByText('We have sent a code of six digits').waitFor();
      await input.waitFor();
      if (way !== 'html') await isSound(page);
      await screenshot(page, `code_${way}`);
      await input.fill('12345');
      await send();
      await page.getByText('That is not the code').waitFor();
      expect(await input.inputValue()).toBe('');
      expect(await page.getByLabel('Reason').inputValue()).toBe('One,\ntwo');
      await input.fill(code());
      await send();
      await page.getByText('You have voted.').waitFor();
      expect(at.delivered).toHaveLength(1);
      expect(mails).toHaveLength(1);
    },
  );
});
