/** Forms whose places run out, in every way to send them. */
import type { Page } from 'playwright-core';
import { tempFolder } from '../support/temp_folder.ts';
import {
  describeInBrowser,
  isSound,
  openBy,
  openPage,
  type Stage,
  screenshot,
  send,
  stage,
} from './stage.ts';

async function open(keys: string) {
  const at = await stage({
    forms: `
  course:
    title: Winter course
    confirmation: You are in.
    failure_message: Call us.
    ${keys}
    fields:
      - {name: name, required: true}
      - {name: workshop, type: radios, required: true, options: [{value: a, label: Welding}, {value: b, label: Turning}]}
      - {name: day, type: select, options: [sat, sun]}
      - {name: letter, type: textarea}
    outputs: [{type: http_post, url: "$sink", mapping: "*", retries: 0}]
counted_in: ${tempFolder()}
`,
  });
  const taken = async (workshop: string) => {
    const values = Object.entries({ name: 'Someone', workshop, letter: '' });
    expect((await at.submit('course', values)).status).toBe(200);
  };
  return { at, taken };
}

const ways = ['script', 'page', 'htmx4'] as const;
type Way = (typeof ways)[number];

/** A page with the form, as a visitor opens it. */
const visit = async (at: Stage, way: Way): Promise<Page> =>
  openBy(way, at, 'course', await openPage({ locale: 'en', javaScriptEnabled: way !== 'page' }));

async function fill(page: Page, workshop: string) {
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel(workshop).check();
  await page.getByLabel('Letter').fill('Dear school,\nhello.');
}

const typedIn = async (page: Page) => [
  await page.getByLabel('Name').inputValue(),
  await page.getByLabel('Letter').inputValue(),
];
const typed = ['Ada', 'Dear school,\nhello.'];

describeInBrowser('places that run out', () => {
  test.each(ways)(
    'while the form is being filled in: the form says so, and the typed text stays (%s)',
    async (way) => {
      const { at, taken } = await open(
        'places: 1\n    full_text: "See [the next course](https://acme.example/)."',
      );
      const page = await visit(at, way);
      await fill(page, 'Welding');
      await taken('b');
      await send(page);
      const said = page.getByText('All places are taken.').first();
      await said.waitFor();
      expect(await page.getByRole('link', { name: 'the next course' }).isVisible()).toBe(true);
      expect(await typedIn(page)).toEqual(typed);
      expect(await page.getByLabel('Welding').isChecked()).toBe(true);
      if (way !== 'page') await isSound(page);
      expect(at.delivered).toHaveLength(1);
      await screenshot(page, `full_${way}`);
      // A visitor who opens the form now sees the text instead of the fields.
      const late = await openPage({ locale: 'en' });
      await late.goto(`${at.origin}/api/v1/form/course?as=page`);
      await late.getByText('All places are taken.').waitFor();
      expect(await late.locator('input').count()).toBe(0);
      await isSound(late);
    },
  );

  test.each(ways)('places of an option: the visitor can choose another (%s)', async (way) => {
    const { at, taken } = await open('option_places: {workshop: {a: 1, b: 2}}');
    const page = await visit(at, way);
    expect(await page.getByLabel('Welding (1 left)').isEnabled()).toBe(true);
    await fill(page, 'Welding');
    await taken('a');
    await send(page);
    await page.getByText('Welding is full.').first().waitFor();
    expect(await typedIn(page)).toEqual(typed);
    if (way !== 'page') await isSound(page);
    // The script leaves the options unchanged; a form that is rendered again has new ones.
    if (way !== 'script') {
      const full = page.getByLabel('Welding (full)');
      expect([await full.isDisabled(), await full.isChecked()]).toEqual([true, false]);
    }
    expect(await page.getByLabel('Turning (2 left)').isEnabled()).toBe(true);
    // The error is above the options, and another option can be chosen immediately.
    const error = page.locator('fieldset .field-error');
    expect(await error.evaluate((one) => one.nextElementSibling?.matches('.choice'))).toBe(true);
    expect(await page.locator(':focus').getAttribute('value')).toBe(way === 'script' ? 'a' : 'b');
    await screenshot(page, `option_full_${way}`);
    await page.getByLabel('Turning').check();
    await send(page);
    await page.getByText('You are in.').waitFor();
    expect(at.delivered.map((values) => Object.fromEntries(values).workshop)).toEqual(['a', 'b']);
    // For the next visitor, a full option is disabled and says so.
    const late = await visit(at, way);
    expect(await late.getByLabel('Welding (full)').isDisabled()).toBe(true);
    expect(await late.getByLabel('Turning (1 left)').isEnabled()).toBe(true);
    if (way !== 'page') await isSound(late);
  });
});
