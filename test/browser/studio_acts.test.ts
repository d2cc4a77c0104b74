/** Random clicks and keys in the builder: the studio's config always loads. ACTS=500 makes more of them. */
import { env, stateAt } from '../../apps/studio/test/studio/stage.ts';
import { templates } from '../../packages/starters/src/templates.ts';
import { describeInBrowser } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const typed = '|New words|[a-|{{|3|-1|ada@example.org|https://example.org/|a: b|10m'.split('|');
const count = Number(process.env.ACTS) || 25;

/** The same choices in each run (Park and Miller). */
function choices(seed: number): (of: number) => number {
  let state = seed;
  return (of) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % of;
  };
}

describeInBrowser('random actions in the builder', () => {
  test.each(['quote', 'newsletter'])('leave the template %s loadable', async (name) => {
    const config = templates.find((one) => one.name === name)?.config ?? '';
    const { at, page } = await openStudio({ config, env }, '/?tab=build');
    await page.locator('.b-row').first().waitFor();
    const choose = choices(name.length);
    const done: string[] = [];
    for (let act = 0; act < count; act += 1) {
      const open = page.locator('dialog[open]');
      const around = (await open.count()) > 0 ? open.last() : page.locator('.b');
      const controls = around
        .locator('css:light=button:not([disabled]), select, summary, input:not([disabled]), textarea')
        .filter({ visible: true });
      const control = controls.nth(choose(await controls.count()));
      const kind = await control.evaluate((one) =>
        one instanceof HTMLInputElement ? one.type : one.localName,
      );
      done.push(await control.evaluate((one) => one.outerHTML.slice(0, 120)));
      if (kind === 'select') {
        const last = await control.evaluate((one) => (one as HTMLSelectElement).options.length);
        await control.selectOption({ index: choose(last) });
      } else if (/^(?:text|search|textarea|password|email)$/.test(kind)) {
        await control.fill(typed[choose(typed.length)] ?? '');
        await page.keyboard.press('Tab');
      } else await control.click();
      const { file, problems } = await stateAt(at);
      expect(file.state, `${done.join('\n')}\n${JSON.stringify(problems)}\n${file.text}`).toBe('fresh');
    }
  });
});
