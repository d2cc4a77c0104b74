/** "Send a test" in the studio, as owners use it. */
import { expect, onTestFinished, test } from 'vitest';
import { stage } from '../studio/stage.ts';
import { startHttpSink } from '../support/http_sink.ts';
import { startSmtpSink } from '../support/smtp_sink.ts';
import {
  complaintsOf,
  describeInBrowser,
  isNotAboutFocus,
  openPage,
  screenshot,
  violationsIn,
} from './stage.ts';
import { visit } from './visit_studio.ts';

async function open(isDelivering: boolean, looks: Parameters<typeof openPage>[0] = {}) {
  const mail = await startSmtpSink();
  const crm = await startHttpSink({ answer: () => ({ status: 401, body: '{"error":"unknown token"}' }) });
  onTestFinished(mail.close);
  onTestFinished(crm.close);
  const smtp = `type: smtp, host: 127.0.0.1, port: ${mail.port}, mapping: "*"`;
  const at = await stage({
    config: `forms:
  contact:
    title: Write to us
    fields: [{name: name, required: true}, {name: email, type: email, required: true}]
    outputs:
      - {${smtp}, to: office@firm.example}
      - {type: http_post, url: "${crm.origin}/leads", mapping: "*"}
      - {${smtp}, to: "{{ .fields.email }}"}
`,
    isDelivering,
    hasTests: true,
  });
  const page = await openPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...looks });
  await visit(page, at, '/?form=contact');
  const dialog = page.getByRole('dialog', { name: 'Send a test' });
  return { at, page, mail, crm, dialog };
}

describeInBrowser('a test from the studio', () => {
  test.each([
    ['light', { width: 1440, height: 900 }],
    ['dark', { width: 390, height: 844 }],
  ] as const)('shows where it goes, sends, and shows each answer: %s', async (colorScheme, viewport) => {
    const { page, mail, crm, dialog } = await open(true, { colorScheme, viewport });
    const button = page.getByRole('button', { name: 'Send a test' });
    await button.focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('to office@firm.example').waitFor();
    const outputs = dialog.locator('.send-test-outputs > li');
    expect(await outputs.locator('.send-test-result').allTextContents()).toEqual([
      ' ready',
      ' ready',
      ' skipped',
    ]);
    expect([mail.mails.length, crm.requests.length]).toEqual([0, 0]);
    expect(await violationsIn(page)).toEqual([]);
    await screenshot(page, `send-test-plan-${colorScheme}`);
    await dialog.getByLabel('Your address').fill('me@firm.example');
    await page.keyboard.press('Tab');
    await dialog.getByText('to me@firm.example').waitFor();
    await dialog.getByRole('button', { name: 'Send it' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('2 delivered, 1 failed; a visitor would read that sending failed.').waitFor();
    expect(mail.mails.map(({ envelope }) => envelope.to).toSorted()).toEqual([
      ['me@firm.example'],
      ['office@firm.example'],
    ]);
    await expect.poll(() => outputs.nth(0).textContent()).toContain('250 OK: message queued');
    expect(await outputs.nth(1).textContent()).toContain(
      'the server answered 401: {"error":"unknown token"}',
    );
    expect(await outputs.nth(1).textContent()).toContain('Check the credentials of this output');
    expect(await dialog.getByRole('button', { name: 'Send it' }).count()).toBe(0);
    expect(await violationsIn(page)).toEqual([]);
    await screenshot(page, `send-test-report-${colorScheme}`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(viewport.width);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
  });

  test('without --live it says how to start it so, and cannot send', async () => {
    const { page, mail, crm, dialog } = await open(false);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('relay --config site/webform.yaml dev --live').waitFor();
    await dialog.getByText('to office@firm.example').waitFor();
    expect(await dialog.getByRole('button', { name: 'Send it' }).count()).toBe(0);
    expect(await violationsIn(page)).toEqual([]);
    expect([mail.mails.length, crm.connections]).toEqual([0, 0]);
  });
});
