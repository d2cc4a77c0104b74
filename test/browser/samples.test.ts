/** Every HTML sample in the manual, pasted into a page and submitted to a relay with its page's config. */
import type { Locator, Route } from 'playwright-core';
import { read } from '../docs/papers.ts';
import { configOf, pageOf, type Sample, samples } from '../docs/samples.ts';
import { describeInBrowser, documentWith, openPage, type Stage, stage } from './stage.ts';

const relayAddress = 'https://forms.example.com';

/** A relay with the page's config, and a sink that also thanks visitors in place of the sample's site. */
async function relayFor(sample: Sample): Promise<Stage> {
  const { forms, ...top } = configOf(sample);
  const outputs = [{ type: 'http_post', url: '$sink', mapping: '*' }];
  const sunk = Object.entries(forms).map(([name, { redirect, ...form }]) => {
    const thanks = redirect === undefined ? {} : { redirect: '$sink' };
    return [name, { ...form, ...thanks, outputs }] as const;
  });
  const others = Object.entries(top).map(([key, value]) => `\n${key}: ${JSON.stringify(value)}`);
  return stage({
    forms: `  ${JSON.stringify(Object.fromEntries(sunk))}${others.join('')}\n`,
    sink: { answer: ({ method }) => (method === 'GET' ? { body: 'Thank you.' } : {}) },
  });
}

function pasted(sample: Sample): string {
  const page = pageOf(sample);
  return 'whole' in page ? page.whole : documentWith(page.body, page.head);
}

const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };

/** The file from the installed package, in exactly this version. */
function installed(address: string): string {
  const [, name = '', version = '', path = ''] = /\/npm\/(@?[^@]+)@([^/]+)\/(.+)$/.exec(address) ?? [];
  const found = Object.entries(devDependencies).find(
    ([folder, wanted]) =>
      `${folder}@${wanted}` === `${name}@${version}` || wanted === `npm:${name}@${version}`,
  );
  if (!found) throw new Error(`${address} is not the version that is tested here`);
  return `node_modules/${found[0]}/${path}`;
}

const fromPackages = (route: Route) =>
  route.fulfill({ path: installed(route.request().url()), headers: { 'access-control-allow-origin': '*' } });

/** Text that a visitor types into each type of control; in lists, the last option is chosen. */
const typed: Readonly<Record<string, string>> = {
  text: 'Ada Lovelace',
  email: 'ada@example.org',
  textarea: 'Hello from Ada.',
};

/** Fills in everything that a visitor sees; ALTCHA's widget fills in itself. */
async function fillIn(form: Locator): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const control of await form.locator(':is(input, select, textarea):not(altcha-widget *)').all()) {
    if (!(await control.isVisible())) continue;
    const [name, type] = await control.evaluate((one: HTMLInputElement) => [one.name, one.type] as const);
    if (type === 'select-one') {
      await control.selectOption({ index: (await control.locator('option').count()) - 1 });
    } else {
      const value = typed[type];
      if (value === undefined) throw new Error(`nothing is known to type into "${name}", a ${type}`);
      await control.fill(value);
    }
    filled.push(`${name}=${await control.inputValue()}`);
  }
  return filled;
}

describeInBrowser('pasted into a page and sent, the sample', () => {
  test.each(samples.map((sample) => [sample.place, sample] as const))('%s arrives', async (_, sample) => {
    const at = await relayFor(sample);
    at.serve('/page', pasted(sample).replaceAll(relayAddress, at.origin));
    const page = await openPage();
    await page.route(/^https:\/\/cdn\.jsdelivr\.net\/npm\//, fromPackages);
    await page.goto(`${at.host}/page`);
    const form = page.locator('form');
    await form.waitFor();
    const filled = await fillIn(form);
    expect(filled).not.toEqual([]);
    const widget = page.locator('altcha-widget');
    if ((await widget.count()) > 0) await widget.locator('[data-state=verified]').waitFor();
    if ((await form.locator('input[name=_ts]').count()) > 0)
      await form.locator('input[name=_ts][value]').waitFor({ state: 'attached' });
    // Longer than min_fill_seconds in every config.
    at.advance(10_000);
    await form.getByRole('button').click();
    await page.getByText('Thank you.').waitFor();
    const delivered = at.delivered.filter((values) => values.length > 0);
    expect(delivered.map((values) => values.map(([name, value]) => `${name}=${value}`))).toEqual([
      expect.arrayContaining([...filled]),
    ]);
  });
});
