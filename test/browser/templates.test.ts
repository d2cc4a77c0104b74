import { stage as startStudio } from '../../apps/studio/test/studio/stage.ts';
import { templates } from '../../packages/starters/src/templates.ts';
import { describeInBrowser, openPage, screenshot, violationsIn } from './stage.ts';
import { visit } from './visit_studio.ts';

const looks = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
] as const;

const env = { FORM_TOKEN_SECRET: 'not so secret, but long enough', PUBLIC_URL: 'https://forms.example.com' };

describeInBrowser('each template is a form for everybody', () => {
  test.each(templates)('$name: on the relay’s page and on a site’s page', async ({ name, config }) => {
    const at = await startStudio({ config, env });
    for (const { colorScheme, width } of looks) {
      const page = await openPage({ colorScheme, viewport: { width, height: 900 } });
      for (const [kind, address] of [
        ['page', `/api/v1/form/${name}?as=page`],
        ['element', `/studio/element/${name}`],
      ] as const) {
        await visit(page, at, address);
        await page.locator('form.form-relay button[type=submit]').waitFor();
        await screenshot(page, `${name}-${kind}-${colorScheme}-${width}`);
        const violations = await violationsIn(page);
        // The studio's page does not have the site's own heading.
        expect(
          violations.filter((one) => kind === 'page' || !one.startsWith('page-has-heading-one')),
        ).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      }
      await page.close();
    }
  });
});
