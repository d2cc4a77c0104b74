/** A page of plain script, which gets forms only as data, shows and sends each template. */
import { readFileSync } from 'node:fs';
import { fill, type Schema } from '../../packages/form-data/test/assistant.ts';
import { startTemplates } from '../../packages/form-data/test/templates.ts';
import { sealLink } from '../../packages/senders/src/links/sealed_link.ts';
import { describeInBrowser, isSound, openPage, stage } from './stage.ts';

const body = readFileSync(new URL('../../examples/form-data/index.html', import.meta.url), 'utf8');
const all = await startTemplates();
afterAll(all.close);
const { relay, names } = all;

describeInBrowser('a form shown from its data', () => {
  test.each(names)('%s: is readable, and arrives', async (name) => {
    const address = `${relay.origin}/api/v1/form/${name}`;
    const page = await openPage({ viewport: { width: 390, height: 800 } });
    await page.route(/shown\.html/, (route) => route.fulfill({ body, contentType: 'text/html' }));
    await page.goto(`${relay.origin}/shown.html?form=${address}`);
    await page.locator('form button').last().waitFor();
    await isSound(page, `data-${name}-390`);
    await page.setViewportSize({ width: 1440, height: 900 });
    await isSound(page, `data-${name}-1440`);
    // Without a value, the browser or the relay says what is missing.
    const schema = (await relay.get(`/api/v1/form/${name}?as=json`)).json as Schema;
    const values = fill(schema, (most) => most - 1);
    for (const [field, about] of Object.entries(schema.properties ?? {})) {
      const controls = page.locator(`[name="${field}"]`);
      if (!(field in values) || !(await controls.first().isVisible())) continue;
      const value = [values[field]].flat();
      const { type } = about['x-field'] ?? {};
      if (type === 'file') {
        const files = value as readonly File[];
        const chosen = files.map(async (file) => ({
          ...{ name: file.name, mimeType: file.type },
          buffer: Buffer.from(await file.arrayBuffer()),
        }));
        await controls.setInputFiles(await Promise.all(chosen));
      } else if (type === 'select') await controls.selectOption(value.map(String));
      else if (type === 'radios' || type === 'checkboxes' || type === 'checkbox')
        for (const one of value) await page.locator(`[name="${field}"][value="${one}"]`).check();
      else await controls.fill(String(value[0]));
    }
    const before = relay.logged.length;
    relay.advance(5_000);
    await page.locator('form button').last().click();
    await page.locator('main [role=status]').waitFor();
    const outcome = name === 'newsletter' ? 'held' : 'delivered';
    expect(relay.logged.slice(before)).toContainEqual(expect.objectContaining({ form: name, outcome }));
  });

  test('values locked by a link are shown, and cannot be changed', async () => {
    const at = await stage({
      forms: `
  contact:
    links: optional
    fields: [{name: name, required: true}, {name: note}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]`,
    });
    const fixed = { values: new Map([['name', ['Ada']]]), locked: ['name'] };
    const link = sealLink('not so secret', 'contact', { until: Date.now() + 60_000, ...fixed }, 'x');
    const form = encodeURIComponent(`${at.origin}/api/v1/form/contact?fill=${link}`);
    at.serve(`/?form=${form}`, body);
    const page = await openPage({ url: `${at.host}/?form=${form}` });
    await page.locator('output').filter({ hasText: 'Ada' }).waitFor();
    await page.locator('[name=note]').fill('Hello');
    await page.locator('form button').click();
    await page.locator('main [role=status]').waitFor();
    expect(at.bodies).toEqual(['name=Ada&note=Hello']);
  });
});
