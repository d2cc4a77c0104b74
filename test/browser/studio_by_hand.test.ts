/** Forms built in the studio without typing any YAML. */
import { load } from 'js-yaml';
import type { ReportState } from '../../apps/studio/src/state.ts';
import { env, stateAt } from '../../apps/studio/test/studio/stage.ts';
import { templates } from '../../packages/starters/src/templates.ts';
import { buildByHand, type Config, sendByHand } from './by_hand.ts';
import { describeInBrowser, type Page } from './stage.ts';
import { openStudio } from './visit_studio.ts';

/** Together they cover nearly every key of all templates. */
const built = templates.filter(({ name }) =>
  ['newsletter', 'event_registration', 'job_application'].includes(name),
);
/** Allows for busy machines: each takes some hundred clicks. */
const slowly = { timeout: 120_000 };

/**
 * Seconds that people need for a click and for a key: to think, find, point and press (the Keystroke-Level
 * Model of Card, Moran and Newell: M + P + B, and K of a slow typist).
 */
const seconds = { click: 1.35 + 1.1 + 0.2, key: 0.5 };

/** A person who knows only what the page says. */
function person(page: Page) {
  const done = { clicks: 0, keys: 0 };
  return {
    done,
    click: async (role: 'button' | 'checkbox', name: string | RegExp) => {
      const shown = page.getByRole(role, { name, exact: typeof name === 'string' }).filter({ visible: true });
      done.clicks += 1;
      await shown.first().click();
    },
    /** Types at the focus, replacing the selection. */
    write: async (words: string) => {
      done.keys += words.length;
      await page.keyboard.type(words);
    },
    /** Types into an input found by its label. */
    fill: async (label: string, words: string) => {
      // Three clicks select the line.
      done.clicks += 3;
      done.keys += words.length;
      await page
        .getByRole('textbox', { name: label })
        .filter({ visible: true })
        .first()
        .click({ clickCount: 3 });
      await page.keyboard.type(words);
    },
  };
}

describeInBrowser('forms built by hand', () => {
  test('a person who has never seen YAML creates a contact form with a mail in under three minutes', async () => {
    const { at, page } = await openStudio({ config: '', env });
    const { done, click, write, fill } = person(page);
    await click('button', 'New form');
    await click('button', 'Make an empty form');
    await page.getByText('Give the form a title first').waitFor();
    await write('Contact us');
    // The keyboard alone moves to the first field: the same key press must not reopen the dialog.
    await page.keyboard.press('Enter');
    await page.locator('.b-add:focus').waitFor();
    for (const [type, label] of [
      [/^Short text/, 'Your name'],
      [/^E-mail/, 'Your e-mail'],
      [/^Long text/, 'Your message'],
    ] as const) {
      await click('button', 'Add a field');
      await click('button', type);
      await page.locator('.b-open').waitFor();
      await write(label);
      await click('checkbox', /^Required/);
    }
    await click('button', 'Next: where should submissions go?');
    await click('button', 'Add an output');
    await click('button', /^E-mail through your mail server/);
    await fill('Recipients', 'me@shop.example');
    await fill('Your mail server', 'smtp.shop.example');
    await fill('Sent from', 'website@shop.example');
    await click('button', 'Save to file');
    await expect.poll(() => at.file).not.toBe('');
    const { forms } = load(at.file) as Config;
    expect(forms.contact_us?.fields).toEqual([
      { name: 'your_name', label: 'Your name', required: true },
      { name: 'your_e_mail', label: 'Your e-mail', type: 'email', autocomplete: 'email', required: true },
      { name: 'your_message', label: 'Your message', type: 'textarea', required: true },
    ]);
    expect(forms.contact_us?.outputs).toEqual([
      expect.objectContaining({
        type: 'smtp',
        host: 'smtp.shop.example',
        from: 'website@shop.example',
        to: 'me@shop.example',
        reply_to: '{{ .fields.your_e_mail }}',
      }),
    ]);
    await sendByHand(page);
    await page.locator('.report').first().getByText('Delivered', { exact: true }).waitFor();
    const estimated = done.clicks * seconds.click + done.keys * seconds.key;
    console.info(`${done.clicks} clicks and ${done.keys} keys: about ${Math.round(estimated)} s`);
    expect(estimated).toBeLessThan(180);
  });

  test.each(built)('$name is built from scratch, and sent', slowly, async ({ config }) => {
    const wanted = load(config) as Config;
    const { at, page } = await openStudio({ config: '', env });
    const events = await at.events();
    await buildByHand(page, wanted);
    const [form] = Object.values(wanted.forms) as [{ fields: { value?: unknown }[] }];
    // The studio writes initial values as a list.
    for (const field of form.fields) if (field.value !== undefined) field.value = [field.value].flat();
    // The order of keys in a map follows the clicks.
    await expect.poll(async () => load((await stateAt(at)).file.text)).toEqual(wanted);

    await sendByHand(page);
    const reports = () =>
      events.all.filter(({ type }) => type === 'report').map(({ data }) => data as ReportState);
    await expect.poll(() => reports().at(-1)?.report.outcome).toBe('delivered');
    const [{ outputs }] = Object.values(wanted.forms) as [{ readonly outputs: readonly { type: string }[] }];
    const got = reports().at(-1)?.report.outputs;
    expect(got?.map(({ type, result }) => ({ type, result }))).toEqual(
      outputs.map(({ type }) => ({ type, result: 'delivered' })),
    );
  });
});
