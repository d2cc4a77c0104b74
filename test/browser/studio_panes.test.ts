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

const counted = `counted_in: /nowhere
${bare.replace('fields:', 'places: 1\n    spam: {min_fill_seconds: 1, too_fast: drop}\n    fields:')}`;

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

  test('places are taken in all looks, and free again once the owner starts over', async () => {
    const { page, form } = await open(counted);
    const story = page.locator('.story').first();
    const isFull = () => form.getByText('All places are taken.').isVisible();
    for (const looks of [
      ['own', 'bootstrap'],
      ['bootstrap', 'own'],
    ]) {
      const [look = '', other = ''] = looks;
      await page.locator('#look-theme').selectOption(look);
      await page.getByRole('button', { name: 'Start over' }).click();
      await form.getByRole('button', { name: 'Send' }).waitFor();
      // It asks for the form as it was before.
      expect(await play(page, 'a visitor')).toContain('the owner got a request');
      expect(await story.locator('.badge').innerText()).toBe('Delivered');
      await page.locator('#look-theme').selectOption(other);
      await expect.poll(isFull).toBe(true);
      await page.getByRole('button', { name: 'a visitor' }).click();
      await expect.poll(() => page.locator('#ending').innerText()).toContain('sent nothing');
    }
  });

  test('a full option and a value that comes once give way to others in what is filled in', async () => {
    const { page, form } = await open(`counted_in: /nowhere
forms:
  course:
    option_places: {day: {monday: 1}, course: {a: 1}}
    once: {by: email, for: 30d, reveal: true}
    fields:
      - {name: email, type: email, required: true}
      - {name: day, type: select, required: true, options: [monday, tuesday]}
      - {name: course, type: radios, required: true, options: [a, b]}
    outputs: [{type: http_post, url: "https://hooks.acme.dev/", mapping: "*"}]
`);
    expect(await play(page, 'a visitor')).toContain('the owner got a request');
    expect(await play(page, 'a visitor')).toContain('the owner got a request');
    await page.getByRole('button', { name: 'Fill in' }).click();
    await expect.poll(() => form.locator('[name=email]').inputValue()).toBe('ada+2@example.org');
    await expect.poll(() => form.locator('[name=course]:checked').inputValue()).toBe('b');
    expect(await form.locator('[name=day]').inputValue()).toBe('tuesday');
    await page.locator('#about').getByText('What is behind it').click();
    const about = (await page.locator('#about').innerText()).replaceAll(/\s+/g, ' ');
    expect(about).toContain('places by option: day, course; then closes the form');
    expect(about).toContain('once takes one submission for each value of “email”');
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

    test('before it opens, after it has closed, and with no place left', async () => {
      const { page, form } = await open(
        counted.replace(
          'places: 1',
          'places: 1\n    opens: 2020-12-24T18:00Z\n    closes: 2999-12-24T18:00Z',
        ),
      );
      const ending = async (name: string) => {
        await page.getByRole('button', { name, exact: true }).click();
        await expect.poll(() => page.locator('#ending').innerText()).toContain('sent nothing');
        return page.locator('#ending').innerText();
      };
      expect(await ending('before it opens')).toContain('opens on 24 December 2020');
      expect(await ending('after it has closed')).toContain('closed on 24 December 2999');
      expect(await ending('all places are taken')).toContain('All places are taken.');
      expect(await play(page, 'a visitor')).toContain('the owner got a request');
      await page.getByRole('button', { name: 'Start over' }).click();
      await form.getByRole('button', { name: 'Send' }).waitFor();
      await page.locator('#about').getByText('What is behind it').click();
      const about = (await page.locator('#about').innerText()).replaceAll(/\s+/g, ' ');
      expect(about).toMatch(/opening takes submissions from .*2020.* until .*2999/);
      expect(about).toContain('places 1; then closes the form');
    });

    test('with no place left, the waiting list', async () => {
      const { page } = await open(
        counted
          .replace('places: 1', 'places: 1\n    when_full: waiting')
          .replace('on_error: continue', 'waiting: also'),
      );
      expect(await play(page, 'all places are taken')).toContain('the owner got a request');
      expect(await page.locator('.story').first().innerText()).toContain('on the waiting list');
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
        /could not be delivered.*; the owner got a mail to office@example\.com, but not a request at hooks/,
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

    test.each([
      ['a visitor', /^The visitor read Thank you\.; the owner got a mail to office@example\.com\.$/],
      ['a typo', /^The visitor read Enter an e-?mail address.*, and then Thank you\.; the owner got a mail/],
      ['a bot', /^There is no honeypot, .*The visitor read Thank you\.; the owner got nothing/],
      ['the CRM is down', /^There is no CRM, so the mail server is down\. .*; the owner got nothing\.$/],
      [
        'left open for hours',
        /^The form was opened 3 hours ago\. It sent itself again.*; the owner got a mail/,
      ],
      ['no JavaScript', /^The visitor read Thank you\.; the owner got a mail/],
    ])('a form in steps: %s', async (name, says) => {
      const { page } = await open(stepped);
      expect(await play(page, name)).toMatch(says);
    });

    test('a visitor who is sent on', async () => {
      const config = guarded.replace(
        '    fields:',
        '    redirect: https://www.example.com/thanks\n    fields:',
      );
      const { page } = await open(config);
      const said = `The visitor was sent on to https://www.example.com/thanks; ${both}`;
      expect(await play(page, 'a visitor')).toBe(said);
      expect(await play(page, 'no JavaScript')).toBe(said);
      expect(await play(page, 'a bot')).toMatch(/^The visitor was sent on to .*; the owner got nothing/);
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

    test('an advertisement is marked', async () => {
      const { page } = await open(
        guarded.replace('honeypot: website, ', 'honeypot: website, doubt: {tag: 5}, '),
      );
      const marked = /mail to office@example\.com\. It scored [\d.]+ points: tagged \(tag from 5\)\.$/;
      expect(await play(page, 'an advertisement')).toMatch(marked);
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

    test('is shown in every window', async () => {
      const { at, page } = await open();
      const other = await page.context().newPage();
      await visit(other, at);
      await yaml(page).fill(guarded.replace('Write to us', 'Say hello'));
      await yaml(other).getByText('Say hello').waitFor();
    });
  });

  test.each([
    ['Pico', 'rgb(1, 114, 173)'],
    ['Bootstrap', 'rgb(13, 110, 253)'],
  ])('in %s the form looks native', async (theme, colour) => {
    const { page, form } = await open();
    await page.getByLabel('Style').selectOption(theme);
    const button = form.locator('button[type=submit]');
    await expect.poll(() => button.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(colour);
    expect(await play(page, 'a typo')).toContain('and then Thank you, we answer soon.');
  });

  test('what is to be copied appears with the address of the relay, which is there next time', async () => {
    const { at, page } = await open();
    await page.getByRole('button', { name: 'Put it on my site' }).click();
    await page.getByText('appears once you give it').waitFor();
    expect(await page.locator('#site').getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await page.getByLabel('Where the relay will be').fill('https://relay.example.org/');
    const shown = (await page.locator('#site pre').allTextContents()).join('\n');
    expect(shown).not.toContain(at.origin);
    expect(shown).toContain('<relay-form src="https://relay.example.org/api/v1/form/contact">');
    expect(shown).toContain('curl https://relay.example.org/api/v1/submit/contact');
    await page.keyboard.press('Escape');
    expect(await page.locator('#site').isVisible()).toBe(false);
    const later = await page.context().newPage();
    await later.goto(at.origin);
    await later.getByRole('button', { name: 'Put it on my site' }).click();
    expect(await later.locator('#site pre').first().textContent()).toContain('https://relay.example.org/api');
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

  test('PUBLIC_URL is the address, until another is typed', async () => {
    const at = await stage({ config: guarded, env: { PUBLIC_URL: 'https://forms.acme.example' } });
    const page = await openPage();
    await visit(page, at);
    await page.getByRole('button', { name: 'Put it on my site' }).click();
    expect(await page.locator('#site pre').first().textContent()).toContain('https://forms.acme.example/api');
    await page.getByLabel('Where the relay will be').fill('https://relay.example.org');
    expect(await page.locator('#site pre').first().textContent()).toContain('https://relay.example.org/api');
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
