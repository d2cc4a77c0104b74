/** The inbox's figures in a browser: charts, and tables with the same numbers. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { DayFigures, Figures } from '../../packages/inbox/src/api.ts';
import { servePart } from './inbox_part.ts';
import { complaintsOf, describeInBrowser, openPage, screenshot, violationsIn } from './stage.ts';

const here = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
const script = `
import { render } from 'preact';
import Figures from ${here('../../packages/inbox/app/figures/figures.tsx')};
import ${here('../../packages/studio/app/style.css')};
const fetchFigures = async (choice) => (await fetch('/api/figures?' + new URLSearchParams(choice))).json();
const forms = [{ id: 'contact', title: 'Contact' }, { id: 'jobs', title: 'Jobs' }];
const onClose = () => document.body.append('closed');
render(<Figures fetchFigures={fetchFigures} forms={forms} onClose={onClose} />, document.getElementById('part'));
`;

const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;

/** Figures of 120 days that look like those of a site, and are the same in each run. */
function figuresOf(url: URL, hasStats = true): Figures {
  const form = url.searchParams.get('form');
  const since = Number(url.searchParams.get('since') ?? 0);
  const forms = ['contact', 'jobs'].filter((each) => !form || form === each);
  const days: DayFigures[] = forms.flatMap((form, nth) =>
    Array.from({ length: 120 }, (_, ago): DayFigures => {
      const at = today - ago * dayMs;
      const received = Math.round((1 + nth) * (40 + 20 * Math.sin(ago / 3) + ((ago * 7919) % 13)));
      const late = ago % 17 === 3 ? Math.round(received / 2) : ago % 5;
      const dropped = { honeypot: (ago * 31) % 23, min_fill: (ago * 17) % 7, ...(nth && { doubt: ago % 4 }) };
      const counts = { views: received * 9, starts: received * 2, sends: received, leftAtStep: [5, 21, 9] };
      const doubted = (ago * 13) % 6;
      const day = new Date(at).toISOString().slice(0, 10);
      return {
        day,
        form,
        received,
        delivered: received - 6,
        kept: 3,
        aside: 1,
        failed: 2,
        late,
        doubted,
        dropped,
        ...(hasStats && counts),
      };
    }).filter(({ day }) => Date.parse(day) >= since),
  );
  const failures = ['http_post', 'email', 'slack'].map((output, nth) => ({
    at: today - nth * 5_000_000,
    form: forms[nth % forms.length] ?? '',
    output,
    reason: 'The server answered 503 Service Unavailable, so the delivery is retried later.',
    times: 3 * nth + 1,
  }));
  return { hasJournal: true, days, medianMs: 1234, failures };
}

const rowsOf = (page: Page, table: string) =>
  page
    .locator(`${table} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));

/** Adds up by hand what the table has to show. */
function expectedRows({ days }: Figures): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (const one of days) {
    const {
      received,
      delivered,
      kept,
      aside,
      failed,
      late,
      doubted,
      dropped,
      views = 0,
      starts = 0,
      sends = 0,
    } = one;
    const { honeypot = 0, min_fill = 0, doubt = 0 } = dropped;
    const numbers = [
      ...[received, delivered, kept, aside, failed, honeypot, min_fill, doubt, late, doubted],
      ...[views, starts, sends],
    ];
    for (const key of [one.day, 'In all'])
      rows.set(
        key,
        numbers.map((each, index) => each + (rows.get(key)?.[index] ?? 0)),
      );
  }
  return rows;
}

const shownRows = async (page: Page) =>
  new Map(
    (await rowsOf(page, '#days')).map(([day = '', ...cells]) => [
      day,
      cells.map((cell) => Number(cell.replaceAll(',', ''))),
    ]),
  );

describeInBrowser("the inbox's figures", () => {
  test('the table has the numbers of the journal, for each range and form, and the charts are drawn', async () => {
    const asked: URL[] = [];
    const address = await servePart(script, (url) => {
      asked.push(url);
      return figuresOf(url);
    });
    const page = await openPage({ isAlone: true, viewport: { width: 1280, height: 900 } });
    await page.goto(address);
    await page.waitForSelector('#days');
    await expect.poll(() => page.locator('canvas').count()).toBe(3);
    const check = async (days: number) => {
      await expect.poll(() => page.locator('#days tbody tr').count()).toBe(days + 1);
      await expect.poll(() => shownRows(page)).toEqual(expectedRows(figuresOf(asked.at(-1) as URL)));
    };
    await check(30);
    expect(await page.locator('.tiles').textContent()).toContain('Median time to delivery1.2 s');
    expect(await page.locator('.tiles').textContent()).toContain('50 %');
    expect((await rowsOf(page, '#steps')).map(([step, people]) => [step, people])).toEqual([
      ['Step 1', '300'],
      ['Step 2', '1,260'],
      ['Step 3', '540'],
    ]);
    expect((await rowsOf(page, '#failures')).map((row) => [row[2], row[4]])).toEqual([
      ['http_post', '1'],
      ['email', '4'],
      ['slack', '7'],
    ]);
    for (const [range, days] of [
      ['7 days', 7],
      ['90 days', 90],
      ['All', 120],
    ] as const) {
      await page.getByRole('radio', { name: range }).check({ force: true });
      await check(days);
    }
    expect(asked.at(-1)?.search).toBe('');
    await page.getByLabel('7 days').check({ force: true });
    await page.getByLabel('Form').selectOption('contact');
    await expect.poll(() => asked.at(-1)?.searchParams.get('form')).toBe('contact');
    await expect.poll(() => page.locator('#days').textContent()).not.toContain('Dropped: Doubt');
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('body').textContent()).toContain('closed');
    expect(complaintsOf(page)).toEqual([]);
  });

  test('axe-core finds nothing in light or dark, and a phone scrolls in one direction', async () => {
    const address = await servePart(script, (url) => figuresOf(url));
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        const page = await openPage({ isAlone: true, colorScheme, viewport: { width, height: 844 } });
        await page.goto(address);
        await expect.poll(() => page.locator('canvas').count()).toBe(3);
        expect(await violationsIn(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        await screenshot(page, `figures_${colorScheme}_${width}`);
        await page.close();
      }
  });
});
