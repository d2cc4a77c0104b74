import type { FrameLocator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { stage } from '../studio/stage.ts';
import { complaintsOf, describeInBrowser, isNotAboutFocus, openPage, violationsIn } from './stage.ts';
import { putOnSite, visit } from './visit_studio.ts';

const guarded = `forms:
  contact:
    title: Write to us
    confirmation: Thank you, we answer soon.
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - name: topics
        type: checkboxes
        options: [sales, support, press]
      - {name: message, type: textarea, rows: 3}
    spam: {honeypot: website, min_fill_seconds: 3, too_fast: drop}
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/contact", mapping: "*"}
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, mapping: "*", on_error: continue}
`;
const bare = `forms:
  contact:
    fields: [{name: note}]
    outputs:
      - {type: http_post, url: "https://hooks.acme.dev/contact", mapping: "*", on_error: continue}
`;

const stepped = `languages: [en, de, ar, ja]
forms:
  apply:
    title: Apply
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: why, type: textarea, required: true}
      - {name: more, type: hidden}
    steps:
      - {title: About you, fields: [name, email]}
      - {title: Your reasons, fields: [why]}
    spam: {min_fill_seconds: 2, too_fast: drop}
    outputs:
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, mapping: "*"}
`;

async function open(
  config = guarded,
  query = '?tab=try',
  reducedMotion: 'reduce' | 'no-preference' = 'reduce',
) {
  const at = await stage({ config });
  const page = await openPage({ viewport: { width: 1280, height: 800 }, reducedMotion });
  await visit(page, at, `/${query}`);
  const form = page.frameLocator('#frame');
  await form.locator('form.form-relay').waitFor();
  return { at, page, form };
}

/** Plays a scenario, and resolves with its ending. The words at its start may be gone before a look from outside. */
async function play(page: Page, name: string): Promise<string> {
  const played = await page.locator('#ending').evaluateHandle((node) => {
    const ended = new Promise<string>((resolve) => {
      let isPlaying = false;
      new MutationObserver(() => {
        const said = node.textContent ?? '';
        isPlaying ||= said.endsWith('Playing …');
        if (isPlaying && /; the owner got .*\.$/.test(said)) resolve(said);
      }).observe(node, { childList: true, characterData: true, subtree: true });
    });
    return { ended };
  });
  await page.getByRole('button', { name, exact: true }).click();
  return played.evaluate(({ ended }) => ended);
}

const yaml = (page: Page) => page.getByRole('textbox', { name: 'Config' });
/** The line of the config that the page has shown last. */
const marked = (page: Page) => page.locator('.cm-shown').innerText();

async function isSeen(page: Page, form: FrameLocator): Promise<boolean> {
  const box = await form.locator('button[type=submit]').boundingBox();
  return box !== null && box.y + box.height <= (page.viewportSize()?.height ?? 0);
}

describeInBrowser('the panes of the studio', () => {
  test('"Send" of a common form is in view at 1280 by 800', async () => {
    const { page, form } = await open();
    expect(await isSeen(page, form)).toBe(true);
  });

  test.each([
    ['de', 'Deutsch', 'Weiter', 'ltr'],
    ['ar', 'العربية', 'التالي', 'rtl'],
    ['ja', '日本語', '次へ', 'ltr'],
  ])('the form speaks %s when it is chosen', async (_, language, next, direction) => {
    const { page, form } = await open(stepped);
    await page.getByLabel('Language').selectOption(language);
    await form.getByRole('button', { name: next }).waitFor();
    expect(await form.locator('form').evaluate((one) => getComputedStyle(one).direction)).toBe(direction);
    expect(await play(page, 'a visitor')).toContain('the owner got a mail to office@acme.dev');
  });

  describe('scenarios, each told by what happened', () => {
    const both = 'the owner got a request at hooks.acme.dev and a mail to office@acme.dev.';

    test('a visitor', async () => {
      const { page } = await open();
      expect(await play(page, 'a visitor')).toBe(`The visitor read Thank you, we answer soon.; ${both}`);
      expect(complaintsOf(page).filter(isNotAboutFocus)).toEqual([]);
    });

    test('a typo is corrected, and the rest of what was typed is still there', async () => {
      const { page } = await open();
      expect(await play(page, 'a typo')).toMatch(
        /^The visitor read Enter an e-?mail address.*, and then Thank you, we answer soon\.; the owner got a request/,
      );
      expect(await page.locator('.story .badge').allInnerTexts()).toEqual(['Delivered', 'Not valid']);
    });

    test('a form that is not open, which an edit opens', async () => {
      const closing = guarded.replace('title:', 'closes: "2020-12-24T18:00Z"\n    title:');
      expect(closing).not.toBe(guarded);
      const at = await stage({ config: closing });
      const page = await openPage({ viewport: { width: 1280, height: 800 } });
      await visit(page, at, '/?tab=try');
      const frame = page.frameLocator('#frame');
      const words = 'This form closed on 24 December 2020 at 18:00 UTC.';
      await frame.getByText(words).waitFor();
      await page.getByRole('button', { name: 'a visitor', exact: true }).click();
      await expect
        .poll(() => page.locator('#ending').innerText())
        .toBe(`The visitor read ${words}, and sent nothing.`);
      await at.edit(closing.replace('2020', '2999'));
      await frame.locator('form.form-relay').waitFor();
    });

    test('a bot', async () => {
      const { page } = await open();
      expect(await play(page, 'a bot')).toMatch(
        /^The visitor read Thank you, we answer soon\.; the owner got nothing, and no bot/,
      );
      expect(await page.locator('.story').first().innerText()).toContain('by honeypot');
    });

    test('the CRM is down, and up again afterwards', async () => {
      const { page } = await open();
      expect(await play(page, 'the CRM is down')).toMatch(
        /could not be delivered.*; the owner got a mail to office@acme\.dev, but not a request at hooks/,
      );
      expect(await play(page, 'a visitor')).toContain(both);
    });

    test.each([
      ['element', 'It sent itself again, with a fresh token. The visitor read Thank you, we answer soon.; '],
      ['htmx4', ', and then Thank you, we answer soon.; '],
      ['plain', ', and then Thank you, we answer soon.; '],
    ])('left open for hours, %s: nothing is lost', async (mode, says) => {
      const { page } = await open(guarded, `?mode=${mode}`);
      const said = await play(page, 'left open for hours');
      expect(said).toMatch(/^The form was opened 3 hours ago\. /);
      expect(said).toContain(`${says}the owner got a request`);
      const words = await page.locator('.story .badge').allInnerTexts();
      expect(words).toEqual(['Delivered', 'Expired']);
    });

    test('no JavaScript', async () => {
      const { page, form } = await open();
      expect(await play(page, 'no JavaScript')).toContain(both);
      expect(await form.locator('script').count()).toBe(0);
      // What follows is shown as its owner chose.
      await play(page, 'a visitor');
      expect(await form.locator('relay-form').count()).toBe(1);
    });

    test('a form offers those that show something on it, and no others', async () => {
      const doubting = guarded
        .replace('honeypot: website, ', 'honeypot: website, doubt: {tag: 5}, ')
        .replace('forms:\n  contact', '  doubting');
      const idle = '  idle:\n    fields: []\n    outputs: [{type: fax, mapping: "*"}]\n';
      const { page } = await open(
        `${guarded}${bare.replace('forms:\n  contact', '  bare')}${doubting}${idle}`,
      );
      const offered = () => page.locator('.chips button').allInnerTexts();
      const always = ['a visitor', 'a typo', 'a bot', 'no JavaScript'];
      const [ad, crm, hours] = ['an advertisement', 'the CRM is down', 'left open for hours'];
      for (const [name, more] of [
        ['Write to us', [crm, hours]],
        ['Bare', [crm]],
        ['Write to us', [ad, crm, hours]],
        ['Idle', []],
      ] as const) {
        const value =
          more.length === 3 ? 'doubting' : name === 'Write to us' ? 'contact' : name.toLowerCase();
        await page.locator('#form').selectOption(value);
        await expect.poll(async () => (await offered()).sort()).toEqual([...always, ...more].sort());
      }
    });

    test('at their end, the config shows what made the difference', async () => {
      const { page } = await open();
      await play(page, 'a bot');
      await expect.poll(() => marked(page)).toContain('spam: {honeypot');
      await play(page, 'the CRM is down');
      await expect.poll(() => marked(page)).toContain('- {type: http_post,');
    });
  });

  describe('the config', () => {
    test('is used as it is typed, with its problems at their lines, and saved on a button', async () => {
      const { at, page, form } = await open();
      await form.getByLabel('Name').fill('Ada');
      await yaml(page).fill(guarded.replace('Write to us', 'Say hello'));
      await form.getByRole('heading', { name: 'Say hello' }).waitFor();
      await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Ada');
      await yaml(page).fill(guarded.replace('required', 'requierd'));
      await page.locator('#problems').getByText('did you mean required?').waitFor();
      await expect.poll(() => page.locator('.cm-lintRange-error').allInnerTexts()).toEqual(['requierd']);
      await page.getByRole('button', { name: 'Line 6' }).click();
      expect(await marked(page)).toBe('      - {name: name, requierd: true}');
      expect(at.file).toBe(guarded);
      const latest = guarded.replace('Write to us', 'Say hello');
      await yaml(page).fill(latest);
      await page.locator('#problems').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save to file' }).click();
      await page.getByRole('button', { name: 'Save to file' }).waitFor({ state: 'detached' });
      expect(at.file).toBe(latest);
    });
  });

  test.each([
    ['forms.example.com', 'the whole address'],
    ['ftp://forms.example.com', 'the whole address'],
    ['https://', undefined],
    ['https://forms example.com', 'the whole address'],
    ['https://forms.example.com/relay', 'what follows the host: https://forms.example.com'],
    ['https://forms.example.com/?form=contact', 'what follows the host'],
    ['https://ada:secret@forms.example.com', 'the password'],
    ['http://forms.example.com', 'Use https'],
    ['http://8.8.8.8:8080', 'Use https'],
  ])('%s is no address of a relay, and nothing can be copied: %s', async (address, words) => {
    const { page } = await open();
    await putOnSite(page);
    const field = page.getByLabel('Where the relay will be');
    await field.fill(address);
    if (words) await page.locator('#relay-url-says').getByText(words).waitFor();
    expect(await page.locator('#site pre').count()).toBe(0);
    expect(await field.getAttribute('aria-invalid')).toBe(String(words !== undefined));
  });

  test('names and words that are markup stay text, everywhere', async () => {
    const markup = (name: string) => `<img src=x onerror=alert(1)> <b class=injected>${name}</b>`;
    const { at, page, form } = await open(`# ${markup('comment')}
languages: [en, de]
forms:
  contact:
    title: "${markup('title')}"
    confirmation: "${markup('thanks')}"
    fields:
      - {name: "${markup('name')}", label: "${markup('label')}", help: "${markup('help')}"}
      - name: choice # ${markup('behind')}
        type: select
        options: [{value: "${markup('value')}", label: "${markup('option')}"}]
      - {name: note, visible_when: {field: choice, is: "${markup('value')}"}}
    steps:
      - {title: "${markup('step')}", fields: ["${markup('name')}", choice, note]}
    outputs:
      - {type: webhook, url: "https://hooks.acme.dev/${encodeURIComponent(markup('url'))}", mapping: {"${markup('key')}": choice}}
      - {type: smtp, host: smtp.acme.dev, to: office@acme.dev, from: f@acme.dev, subject: "${markup('subject')}", mapping: "*"}
`);
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    /** In the page, its shadow roots, and its frames of the same origin. */
    const injected = () =>
      page.evaluate(() => {
        const within = (root: Document | ShadowRoot): readonly Element[] => [
          ...root.querySelectorAll('.injected, [onerror]'),
          ...[...root.querySelectorAll('*')].flatMap((one) => [
            ...(one.shadowRoot ? within(one.shadowRoot) : []),
            ...(one instanceof HTMLIFrameElement && one.contentDocument ? within(one.contentDocument) : []),
          ]),
        ];
        return within(document).map((one) => one.outerHTML);
      });
    const found: Record<string, readonly string[]> = {};
    await play(page, 'a visitor');
    await form.locator('.form-confirmation').getByText('thanks').waitFor();
    for (const summary of await page.locator('.story details > summary').all()) await summary.click();
    found.story = await injected();
    await page.getByRole('radio', { name: 'Build', exact: true }).first().check({ force: true });
    for (const edit of await page.locator('.b-row .b-edit').all()) {
      await edit.click();
      await page.locator('.b-open').waitFor();
      found[`field ${Object.keys(found).length}`] = await injected();
    }
    for (const tab of ['outputs', 'protection', 'languages']) {
      await page.locator(`#build-${tab}`).click();
      found[tab] = await injected();
    }
    await putOnSite(page);
    found.site = await injected();
    await page.keyboard.press('Escape');
    await yaml(page).fill(guarded.replace('required', `"${markup('key')}"`));
    await page.locator('#problems').waitFor();
    found.problems = await injected();
    await at.edit(`${guarded}# ${markup('theirs')}\n`);
    await page.locator('#difference').getByText('theirs').first().waitFor();
    found.difference = await injected();
    expect(Object.values(found).flat()).toEqual([]);
    expect(Object.keys(found).length).toBeGreaterThan(8);
    expect(alerts).toEqual([]);
  });

  test.each(['own', 'pico', 'bootstrap', 'none'])(
    'nothing is wrong for assistive technology with the form itself, theme %s',
    async (theme) => {
      const { at, page } = await open();
      const found: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width: colorScheme === 'light' ? 1440 : 390, height: 844 });
        const look = async (state: string) => {
          for (const one of await violationsIn(page)) {
            // The heading of a page is its owner's.
            if (!one.startsWith('page-has-heading-one')) found.push(`${state}, ${colorScheme}: ${one}`);
          }
        };
        await visit(page, at, `/studio/element/${theme}/contact`);
        const button = page.getByRole('button', { name: 'Send' });
        await button.waitFor();
        await look('empty');
        await page.locator('form').evaluate((form: HTMLFormElement) => {
          form.noValidate = true;
        });
        at.advance(10_000);
        await button.click();
        await page.locator('.field-error').first().waitFor();
        await look('not valid');
        await page.getByLabel('Name').fill('Ada');
        await page.getByLabel('Email').fill('ada@example.org');
        await button.click();
        await page.locator('.form-confirmation').waitFor();
        await look('sent');
      }
      expect(found).toEqual([]);
    },
  );
});
