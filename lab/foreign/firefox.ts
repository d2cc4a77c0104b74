/** Firefox fills in and submits a form with steps and a condition, on the relay's page and on a site of another origin. */
import puppeteer, { type Page } from 'puppeteer-core';
import { startHttpSink } from '../../test/support/http_sink.ts';
import { installed } from './debian.ts';
import { type Suite, withRelay } from './suite.ts';

const program = '/usr/bin/firefox-esr';

const config = (sink: string) => `
forms:
  contact:
    confirmation: Thank you.
    fields:
      - {name: topic, type: select, options: [sales, other], required: true}
      - {name: other, required: true, visible_when: {field: topic, is: other}}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea}
    steps: [{title: Topic, fields: [topic, other]}, {title: You, fields: [email, message]}]
    outputs: [{type: http_post, url: ${sink}, mapping: "*"}]
`;

export const firefox: Suite = async () => {
  const skipped = await installed(program, 'firefox-esr');
  if (skipped !== undefined) return { tried: 0, differences: [], skipped };
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: program, headless: true });
  return withRelay(config, async ({ relay, sink, compare }) => {
    const site = await startHttpSink({
      answer: () => ({
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: `<!doctype html><title>Site</title><script src="${relay.origin}/api/v1/form.js" defer></script>
<relay-form src="${relay.origin}/api/v1/form/contact"><a href="${relay.origin}/f/contact">Write to us</a></relay-form>`,
      }),
    });
    const places = {
      'the page of the form': `${relay.origin}/f/contact`,
      'a site of another origin': `${site.origin}/`,
    };
    for (const [place, url] of Object.entries(places)) {
      const page = await browser.newPage();
      await page.goto(url);
      await fillIn(page);
      const received = sink.requests.at(-1)?.bytes.toString();
      const sent = 'email=ada%40example.org&message=Gr%C3%BC%C3%9Fe&other=Boats&topic=other';
      compare(place, sent, received ?? 'nothing');
      await page.close();
    }
    await site.close();
  }).finally(() => browser.close());
};

async function fillIn(page: Page): Promise<void> {
  await page.locator('select[name=topic]').fill('other');
  await page.locator('input[name=other]').fill('Boats');
  await page.locator('button::-p-text(Next)').click();
  await page.locator('input[name=email]').fill('ada@example.org');
  await page.locator('textarea[name=message]').fill('Grüße');
  await page.locator('button[type=submit]').click();
  await page.locator('::-p-text(Thank you.)').wait();
}
