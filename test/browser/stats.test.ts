/** `stats: true`: pages count views, starts, steps and sends, and nobody who does not want to be counted. */
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { statsCode } from '../../packages/element/built/stats.ts';
import { folder, linesIn } from '../journal/stage.ts';
import { describeInBrowser, documentWith, openPage, stage } from './stage.ts';

const slow = 30_000;

async function counting() {
  const journal = await folder();
  const forms = `
  contact:
    stats: true
    confirmation: We have it.
    fields: [{name: name}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
  quote:
    stats: true
    fields: [{name: one}, {name: two}, {name: three}]
    steps: [{title: A, fields: [one]}, {title: B, fields: [two]}, {title: C, fields: [three]}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
journal: {in: "${journal}"}
`;
  const at = await stage({ forms });
  /** What stands in the journal by now. */
  const counts = async () => {
    await at.relay.flush();
    return (await linesIn(journal)).flatMap((line) => {
      if (line.kind !== 'stats') return [];
      const { kind: _, at: __, ...rest } = line;
      return [rest];
    });
  };
  const script = (name: string, how: string) =>
    `<script src="${at.origin}/api/v1/${name}" ${how}></script>\n`;
  at.serve(
    '/page',
    documentWith(
      `<relay-form src="${at.origin}/api/v1/form/quote"></relay-form>\n`,
      script('form.js', 'defer') + script('stats.js', 'type="module"'),
    ),
  );
  /** Browsers send what they counted once a page is left. */
  const expectCounts = (expected: readonly object[]) =>
    vi.waitFor(async () => expect(await counts()).toEqual(expected), { timeout: slow });
  return { ...at, counts, expectCounts };
}

const leave = (page: Page) => page.goto('about:blank');

/** Resolves once the form was seen: observers hear of it in the order in which they began. */
const seen = (page: Page) =>
  page.locator('form').evaluate(
    (form) =>
      new Promise<void>((resolve) => {
        new IntersectionObserver(() => resolve()).observe(form);
      }),
  );

describeInBrowser('stats', () => {
  test('the script is small', () => {
    expect(gzipSync(statsCode, { level: 9 }).length).toBeLessThan(1_024);
  });

  test('a page of the relay’s: seen and left, then filled in and sent', { timeout: 60_000 }, async () => {
    const at = await counting();
    const page = await openPage();
    const form = `${at.origin}/api/v1/form/contact?as=page`;
    const script = page.waitForResponse('**/stats.js');
    await page.goto(form);
    await script;
    await seen(page);
    await leave(page);
    const seenAlone = { form: 'contact', views: 1, starts: 0, sends: 0 };
    await at.expectCounts([seenAlone]);
    await page.goto(form);
    await page.locator('[name=name]').fill('Ada');
    await page.getByRole('button').click();
    await page.getByText('We have it.').waitFor();
    await leave(page);
    await at.expectCounts([seenAlone, { form: 'contact', views: 1, starts: 1, sends: 1 }]);
  });

  test('a page of another origin with form.js: the step where people give up', {
    timeout: 60_000,
  }, async () => {
    const at = await counting();
    const page = await openPage();
    const loaded = page.waitForResponse('**/stats.js');
    await page.goto(`${at.host}/page`);
    await loaded;
    await page.locator('[name=one]').fill('1');
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.locator('[name=two]').fill('2');
    await leave(page);
    await at.expectCounts([{ form: 'quote', views: 1, starts: 1, sends: 0, steps: [1, 1, 0] }]);
  });

  test.each([
    ['globalPrivacyControl', true],
    ['doNotTrack', '1'],
  ])('nobody with %s is counted', { timeout: 60_000 }, async (name, value) => {
    const at = await counting();
    const page = await openPage();
    const said: string[] = [];
    page.on('request', (request) => said.push(new URL(request.url()).pathname));
    await page.addInitScript(([name, value]) => Object.defineProperty(navigator, name as string, { value }), [
      name,
      value,
    ] as const);
    await page.goto(`${at.origin}/api/v1/form/contact?as=page`);
    await page.locator('[name=name]').fill('Ada');
    await page.getByRole('button').click();
    await page.getByText('We have it.').waitFor();
    await leave(page);
    expect(said.filter((path) => path.startsWith('/api/v1/stats/'))).toEqual([]);
    expect(await at.counts()).toEqual([]);
  });
});
