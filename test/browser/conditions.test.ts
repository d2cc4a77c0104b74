import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answers, conditionForm, holding } from '../support/condition_cases.ts';
import { complaintsOf, describeInBrowser, openBy, stage, ways } from './stage.ts';

const demandedToo = conditionForm('required_when').replace('table', 'demanded');
const stepped = `
  stepped:
    fields: [{name: age, type: number}, {name: parent}, {name: note}]
    steps:
      - {title: You, fields: [age]}
      - {title: Your parents, fields: [parent], visible_when: {field: age, at_most: 17}}
      - {title: The rest, fields: [note]}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const noted = `
  noted:
    fields:
      - {name: kind}
      - {note: Bring your papers., visible_when: {field: kind, contains: x}}
      - {name: size, visible_when: {field: kind, contains: x}}
    groups: [{legend: Sizes, fields: [size]}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const options = { forms: `${conditionForm('visible_when')}${demandedToo}${stepped}${noted}` };

async function fillIn(page: Page, given: object): Promise<void> {
  await page.locator('[name=kind]').first().waitFor();
  for (const [name, values] of Object.entries(given))
    for (const value of [values].flat()) {
      const choice = page.locator(`[name=${name}][value=${JSON.stringify(value)}]`);
      const box = page.locator(`[name=${name}]`);
      if (await choice.and(page.locator('[type=radio], [type=checkbox]')).count()) await choice.check();
      else if (await box.isVisible()) await box.fill(value);
    }
}

/** Those that visitors see, and that are sent. */
const shown = (page: Page) =>
  page
    .locator('[name^=when]')
    .evaluateAll((all) =>
      (all as HTMLInputElement[])
        .filter((one) => one.checkVisibility() && !one.disabled)
        .map(({ name }) => name),
    );

describeInBrowser('conditions', () => {
  for (const way of ways)
    test.each(Object.keys(answers))(`hold in the browser as in the relay: ${way}, %s`, async (name) => {
      const at = await stage(options);
      const page = await openBy(way, at, 'table');
      await fillIn(page, answers[name as keyof typeof answers]);
      await expect.poll(() => shown(page)).toEqual(holding(name));
      expect(complaintsOf(page)).toEqual([]);
    });

  test('the script demands what the relay demands, and marks it', async () => {
    const page = await openBy('script', await stage(options), 'demanded');
    await fillIn(page, answers.exact);
    const demanded = () =>
      page
        .locator('[name^=when]')
        .evaluateAll((all) =>
          (all as HTMLInputElement[]).filter((one) => one.required).map(({ name }) => name),
        );
    await expect.poll(demanded).toEqual(holding('exact'));
    const marked = page.locator('.field:has([name^=when]) .field-required:visible');
    expect(await marked.count()).toBe(holding('exact').length);
  });

  test('a step whose condition does not hold is left out', async () => {
    const at = await stage(options);
    const page = await openBy('script', at, 'stepped');
    await page.locator('[name=age]').fill('17');
    await page.getByText('Step 1 of 3').waitFor();
    await page.locator('[name=age]').fill('18');
    await page.getByText('Step 1 of 2').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Note').fill('x');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.form-confirmation').waitFor();
    expect(at.delivered).toEqual([
      [
        ['age', '18'],
        ['note', 'x'],
      ],
    ]);
  });

  test.each(ways)('notes come and go: %s', async (way) => {
    const page = await openBy(way, await stage(options), 'noted');
    const note = page.getByText('Bring your papers.');
    await note.waitFor({ state: 'hidden' });
    await page.locator('[name=kind]').fill('xy');
    await note.waitFor();
    expect(await page.getByText('only if').isVisible()).toBe(false);
    await page.locator('[name=kind]').fill('y');
    await note.waitFor({ state: 'hidden' });
  });
  test('the stylesheet hides a group without fields', async () => {
    const at = await stage(options);
    const page = await openBy('script', at, 'noted');
    await page.addStyleTag({ url: `${at.origin}/api/v1/form.css` });
    const legend = page.getByText('Sizes');
    await legend.waitFor({ state: 'hidden' });
    await page.locator('[name=kind]').fill('x');
    await legend.waitFor();
  });
});
