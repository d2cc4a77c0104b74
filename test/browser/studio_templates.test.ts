import type { StudioState } from '../../apps/studio/src/state.ts';
import { templates } from '../../packages/starters/src/templates.ts';
import { describeInBrowser, isSound } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const looks = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
] as const;

describeInBrowser('the gallery of templates', () => {
  test.each(looks)('shows each with its picture: $colorScheme, $width', async ({ colorScheme, width }) => {
    const { page } = await openStudio('', '/', { colorScheme, viewport: { width, height: 900 } });
    const cards = page.locator('.start-card');
    await cards.first().waitFor();
    expect(await cards.getByRole('button').allTextContents()).toEqual(templates.map(({ title }) => title));
    const heights = await cards.evaluateAll((all) =>
      all.map((card) => {
        const form = card.querySelector('.start-picture')?.shadowRoot?.querySelector('form');
        // The form's own stylesheet applies, so the policy allows it.
        const style = form && getComputedStyle(form.querySelector('button') as Element);
        return { height: form?.getBoundingClientRect().height ?? 0, weight: style?.fontWeight };
      }),
    );
    for (const { height, weight } of heights) {
      expect(height).toBeGreaterThan(60);
      expect(weight).toBe('600');
    }
    await isSound(page, `gallery-${colorScheme}-${width}`);
  });

  test('an empty config becomes one, with the keyboard only', async () => {
    const { at, page } = await openStudio('');
    await page.locator('.start-card').getByRole('button', { name: 'Job application' }).focus();
    await page.keyboard.press('Enter');
    const wanted = templates.find(({ name }) => name === 'job_application')?.config;
    const textThere = async () =>
      (JSON.parse((await at.request('/studio/state')).text) as StudioState).file.text;
    await expect.poll(textThere).toBe(wanted);
    // The file has not been saved yet.
    expect(at.file).toBe('');
  });
});
