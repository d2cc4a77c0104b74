/** ALTCHA's own widget solves the relay's puzzles in an owner's page, without any script of the relay. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describeInBrowser, documentWith, openPage, stage } from './stage.ts';

const widget = readFileSync(createRequire(import.meta.url).resolve('altcha'), 'utf8');

const forms = `
  contact:
    fields: [{name: name, required: true}]
    spam: {proof_of_work: true}
    outputs: [{type: http_post, url: $sink, mapping: "*"}]
`;

describeInBrowser('ALTCHA’s widget', () => {
  test.each(['by hand', 'by itself'])(
    'solves a puzzle of another origin (%s), once per form',
    async (way) => {
      const relay = await stage({ forms });
      relay.serve('/altcha.js', widget, { 'content-type': 'text/javascript' });
      relay.serve(
        '/',
        documentWith(
          `<form action="${relay.origin}/api/v1/submit/contact" method="post">
<label>Name <input name="name"></label>
<altcha-widget challenge="${relay.origin}/api/v1/challenge/contact" ${way === 'by itself' ? 'auto="onload"' : ''}></altcha-widget>
<button>Send</button></form>`,
          '<script src="/altcha.js" type="module"></script>',
        ),
      );
      const page = await openPage({ url: `${relay.host}/` });
      await page.getByLabel('Name').fill('Ann');
      if (way === 'by hand') await page.locator('altcha-widget input[type=checkbox]').press('Space');
      await page.locator('altcha-widget [data-state=verified]').waitFor();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.waitForURL(/submit/);
      expect(JSON.parse((await page.textContent('body')) ?? '')).toEqual({ message: 'ok' });
      expect(relay.delivered).toEqual([[['name', 'Ann']]]);
    },
  );
});
