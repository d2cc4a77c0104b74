/** What a relay would keep, in the studio. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Stage, stage } from '../studio/stage.ts';
import {
  complaintsOf,
  describeInBrowser,
  isNotAboutFocus,
  openPage,
  screenshot,
  violationsIn,
} from './stage.ts';
import { visit } from './visit_studio.ts';

const forms = `keep: {in: /var/lib/form-relay}
forms:
  contact:
    title: Write to us
    keep: failed
    kept_message: We have your message.
    fields: [{name: email, type: email, required: true}]
    outputs:
      - {type: http_post, url: "https://crm.acme.dev/leads", mapping: "*"}
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, mapping: "*", on_error: continue}
  plain:
    fields: [{name: email, type: email, required: true}]
    outputs: [{type: http_post, url: "https://crm.acme.dev/leads", mapping: "*"}]
`;

async function open(looks: Parameters<typeof openPage>[0]) {
  const at = await stage({ config: forms });
  const page = await openPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...looks,
  });
  await visit(page, at, '/?form=contact');
  await page.getByText('Send the form: what happens to it appears here.').waitFor({ state: 'attached' });
  return { at, page };
}

const send = (at: Stage) => at.post('/api/v1/submit/contact', { email: 'ada@example.org' });
const fault = (at: Stage, name: string) =>
  at.post('/studio/fault', { form: 'contact', output: '0', fault: name });
const badge = (page: Page) => page.locator('.story .badge').first();
const word = (page: Page, text: string) => badge(page).getByText(text, { exact: true }).waitFor();
const complaints = (page: Page) => complaintsOf(page).filter(isNotAboutFocus);

describeInBrowser('the studio of forms that keep', () => {
  test.each([
    ['light', { width: 1280, height: 800 }],
    ['dark', { width: 360, height: 800 }],
  ] as const)('kept in part, then delivered: %s', async (colorScheme, viewport) => {
    const { at, page } = await open({ colorScheme, viewport });
    await fault(at, 'refused');
    await send(at);
    if (viewport.width < 700) await page.getByText('Arrived 1').click();
    await word(page, 'Kept in part');
    const story = page.locator('.story');
    await story.getByText(/a relay keeps it, and tries it again$/).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await violationsIn(page, '#inbox')).toEqual([]);
    await screenshot(page, `studio_kept_${colorScheme}`);

    await fault(at, '');
    await send(at);
    await expect.poll(() => story.count()).toBe(2);
    await word(page, 'Delivered');
    expect(await page.locator('#said').innerText()).toBe('contact: Delivered, to 2 of 2 outputs');
    expect(complaints(page)).toEqual([]);
  });
});
