/** While the visitor types, the browser solves the form's puzzle unnoticed. */
import { gzipSync } from 'node:zlib';
import { guardCode } from '../../packages/element/built/guard.ts';
import { contact, fill, isGuarded, isSent, message, openOwn, serve, ways } from './guarded.ts';
import { describeInBrowser, isSound, openPage, type Page, scriptOf, send, stage, tagOf } from './stage.ts';

const always = contact('{proof_of_work: true}');
/** Any text with ten links is doubted. */
const doubting = contact('{doubt: {challenge: 1}, signals: {links: 10}}');
const links = Array.from({ length: 10 }, (_, index) => `https://shop-${index}.example/`).join(' ');

test('the script is small, and uses nothing that pages may forbid', () => {
  expect(gzipSync(guardCode, { level: 9 }).length).toBeLessThan(4_096);
  expect(guardCode).not.toMatch(/\beval\b|new Function/);
});

/** A way in which the page's script sends the form, and one in which htmx does. */
const two = ways.filter(([way]) => way === 'the tag' || way === 'htmx 4');

describeInBrowser('proof of work', () => {
  test.each(ways)('%s: everybody solves a puzzle without noticing', async (_, open) => {
    const at = await stage({ forms: always });
    const page = await openPage();
    let posts = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') posts++;
    });
    await open(at, page, always);
    await isGuarded(page);
    await fill(page);
    await send(page);
    await isSent(page);
    expect(at.delivered).toEqual([message()]);
    // The solution is already there, and learning the puzzle needs no POST.
    expect(posts).toBe(1);
  });

  test.each(ways)('%s: a doubted visitor solves a harder one', async (way, open) => {
    const at = await stage({ forms: doubting });
    const page = await openPage();
    await open(at, page, doubting);
    await fill(page, links);
    await send(page);
    // If a script sends the form, the script also resends it.
    if (!/tag|script|own|package/.test(way)) {
      await page.getByText('one more check is needed').waitFor();
      await page.locator('.form-challenge').waitFor({ state: 'detached' });
      expect(await page.getByLabel('Message').inputValue()).toBe(links);
      await isSound(page);
      await send(page);
    }
    await isSent(page);
    expect(at.delivered).toEqual([message(links)]);
  });

  test('a page that allows no workers can still solve it', async () => {
    const at = await stage({ forms: always });
    const page = await openPage({ complains: /worker/i });
    const policy = `default-src 'none'; script-src ${at.origin}; connect-src ${at.origin}; form-action ${at.origin}`;
    await serve(at, page, tagOf(at), scriptOf(at), { 'content-security-policy': policy });
    await fill(page);
    await send(page);
    await isSent(page);
    expect(at.delivered).toEqual([message()]);
  });

  /** A worker that runs until the test makes it fail, so that the page itself takes over. */
  async function slowly(page: Page): Promise<() => Promise<void>> {
    await page.addInitScript(() => {
      class Slow {
        onmessage?: (said: { data: number }) => void;
        onerror?: () => void;
        constructor() {
          Object.assign(window, { failWorker: () => this.onerror?.() });
        }
        postMessage() {
          queueMicrotask(() => this.onmessage?.({ data: -2 }));
        }
        terminate() {}
      }
      Object.assign(window, { Worker: Slow });
    });
    return () => page.evaluate('failWorker()');
  }

  test('a worker that does not answer is given up, and the page itself takes over', async () => {
    const at = await stage({ forms: always });
    const page = await openPage({ isIsolated: true });
    await page.addInitScript(() => {
      Object.assign(window, {
        Worker: class {
          postMessage() {}
          terminate() {}
        },
      });
    });
    await openOwn(at, page);
    await fill(page);
    await send(page);
    await isSent(page);
    expect(at.delivered).toEqual([message()]);
  });

  test.each(two)(
    '%s: when sent too soon, the form waits and says so, and typing continues',
    async (_, open) => {
      const at = await stage({ forms: always });
      const page = await openPage({ isIsolated: true });
      const failWorker = await slowly(page);
      await open(at, page, always);
      await isGuarded(page);
      await page.getByLabel('Email').fill('ada@example.org');
      await send(page);
      await page.getByRole('status').getByText('Just a moment').waitFor();
      await isSound(page);
      await page.getByLabel('Message').fill('Hello');
      // Clicking again sends nothing twice.
      await send(page);
      await failWorker();
      await isSent(page);
      expect(at.delivered).toHaveLength(1);
      expect(at.delivered[0]?.[0]).toEqual(['email', 'ada@example.org']);
    },
  );

  test.each(two)('%s: after a failed delivery, the form is resent with another solution', async (_, open) => {
    let isDown = true;
    const answer = () => ({ status: isDown ? 500 : 200 });
    const at = await stage({ forms: always, sink: { answer } });
    const page = await openPage();
    await open(at, page, always);
    await isGuarded(page);
    await fill(page);
    const solutions: string[] = [];
    page.on('request', (request) => {
      const solution = new URLSearchParams(request.postData() ?? '').get('altcha');
      if (solution) solutions.push(solution);
    });
    await send(page);
    await page.locator('.form-errors').waitFor();
    await isGuarded(page);
    isDown = false;
    await send(page);
    await isSent(page);
    expect(new Set(solutions).size).toBe(2);
  });

  test.each([
    ['where everybody solves one', always, 'Hello'],
    ['where those do who are doubted', doubting, links],
  ])('reloading the page after a delivery does not deliver again: %s', async (_, forms, text) => {
    const at = await stage({ forms });
    const page = await openPage({ isIsolated: true });
    await openOwn(at, page);
    await fill(page, text);
    await isGuarded(page);
    await send(page);
    await isSent(page);
    await page.reload();
    await isSent(page);
    expect(at.delivered).toEqual([message(text)]);
  });

  test('a puzzle that is about to expire is replaced before the form is sent', async () => {
    const at = await stage({ forms: always });
    const page = await openPage();
    await openOwn(at, page);
    await isGuarded(page);
    await fill(page);
    await page.evaluate(() => {
      const { now } = Date;
      Date.now = () => now() + 6_000_000;
    });
    const renewed = page.waitForRequest(/\/api\/v1\/challenge\/contact/);
    await send(page);
    await renewed;
    await isSent(page);
    expect(at.delivered).toEqual([message()]);
  });

  test('a form that nobody fills in solves nothing', async () => {
    const at = await stage({ forms: always });
    const page = await openPage({ isIsolated: true });
    await page.addInitScript(() => {
      const { Worker } = window;
      Object.assign(window, {
        Worker: class extends Worker {
          constructor(url: string) {
            super(url);
            document.title = 'working';
          }
        },
      });
    });
    const loaded = page.waitForResponse(/guard\.js/);
    await openOwn(at, page);
    await loaded;
    await page.mouse.move(5, 5);
    expect(await page.title()).toBe('Write to us');
    await page.getByLabel('Message').focus();
    await expect.poll(() => page.title()).toBe('working');
  });

  test.each([
    ['the relay’s own page', false],
    ['the tag', true],
  ])('%s: if the script does not load, a doubted visitor types a number', async (_, isTag) => {
    const at = await stage({ forms: doubting });
    const page = await openPage({ isIsolated: true, complains: /ERR_FAILED/ });
    await page.route('**/guard.js', (route) => route.abort());
    if (isTag) await serve(at, page, tagOf(at), scriptOf(at));
    else await openOwn(at, page);
    await fill(page, links);
    await send(page);
    const question = page.getByLabel('Type the number');
    await question.waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe(links);
    const label = await page.locator('.form-challenge label').innerText();
    await question.fill(/\d{4}/.exec(label)?.[0] ?? '');
    await send(page);
    await isSent(page);
    expect(at.delivered).toEqual([message(links)]);
  });
});
