/** The cases that visitors run into, the same on every page. */
import type { Locator, Page } from 'playwright-core';
import type { World } from './world.ts';

/** A visitor's stay on one page. */
export interface Visit {
  readonly page: Page;
  readonly address: string;
  /** A unique value in the message. */
  readonly value: string;
  /** How many times it has arrived. */
  arrived(): number;
  /** A value of the delivered submission. */
  delivered(name: string): string | null | undefined;
}

export interface Case {
  readonly name: string;
  /** The visitor's browser. */
  readonly browser?: 'without JavaScript' | 'without these scripts';
  /** All visitors open the page, and fill in the form. */
  readonly before?: (visit: Visit) => Promise<void>;
  /** Then this goes wrong, */
  readonly trouble?: (world: World) => Promise<unknown>;
  /** they submit the form, */
  readonly during?: (visit: Visit) => Promise<void>;
  /** this is repaired, */
  readonly mend?: (world: World) => Promise<unknown>;
  /** and they do this. */
  readonly after?: (visit: Visit) => Promise<void>;
}

const confirmation = 'Thank you, really.';
const thanks = (page: Page) => page.getByText(confirmation).filter({ visible: true }).first();
export const isThanked = (page: Page): Promise<boolean> => thanks(page).isVisible();

const open = ({ page, address }: Visit) => page.goto(address);
const button = (page: Page) => page.locator('form').getByRole('button', { name: /^(Send|Sending…)$/ });

/** The owner's own markup, as in the guides, does not have this field. */
const asksForKind = async (page: Page) => (await page.locator('input[name=kind]').count()) > 0;

async function fillIn({ page, value }: Visit, kind: 'personal' | 'business' = 'personal'): Promise<void> {
  await page.getByLabel(/^Name/).fill('Ada');
  await page.getByLabel(/^Email/).fill('ada@example.org');
  await page.getByLabel(/^Message/).fill(value);
  if (await asksForKind(page)) {
    await page.getByLabel(kind, { exact: true }).check();
    if (kind === 'business') await page.getByLabel(/^Company/).fill('Engines');
  }
  // Waits longer than min_fill_seconds, because the relay treats faster senders as bots.
  await page.waitForTimeout(1100);
}

const come = async (visit: Visit) => {
  await open(visit);
  await fillIn(visit);
};
const send = ({ page }: Visit) => button(page).click();

/** The page says that the submission arrived, and it has. */
async function isSent({ page, arrived }: Visit): Promise<void> {
  await thanks(page).waitFor();
  expect(arrived(), 1, 'times that it arrived');
}

/** The visitor reads the reason, and has lost nothing. */
async function isRejected(visit: Visit, words: RegExp): Promise<void> {
  const { page, value } = visit;
  await page.locator('form').getByText(words).filter({ visible: true }).first().waitFor();
  expect(await isThanked(page), false, 'thanked');
  expect(visit.arrived(), 0, 'times that it arrived');
  expect(await page.getByLabel(/^Message/).inputValue(), value, 'the typed value');
  if (await asksForKind(page)) {
    expect(await page.getByLabel('personal').isChecked(), true, 'the chosen value');
  }
}

async function sendUntilSent(visit: Visit): Promise<void> {
  await send(visit);
  await isSent(visit);
}

export function expect(found: unknown, wanted: unknown, what: string): void {
  if (found !== wanted) throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** Uses the link on the page, or the form itself, which the browser submits. */
async function sendWithoutScript(visit: Visit): Promise<void> {
  const { page } = visit;
  await open(visit);
  const link = page
    .locator('a[href$="/f/contact"], a[href*="/api/v1/form/contact"]')
    .filter({ visible: true })
    .first();
  if (await link.isVisible()) await link.click();
  // Without htmx, the field that it would show is missing.
  const hasCompany = await page.getByLabel(/^Company/).isVisible();
  await fillIn(visit, hasCompany ? 'business' : 'personal');
  await send(visit);
  const saysWhyNot = page.locator('.form-errors, .form-status').getByText(/once more|could not be sent/);
  if (await either(thanks(page), saysWhyNot)) return isSent(visit);
  expect(visit.arrived(), 0, 'times that it arrived');
  expect(await page.getByLabel(/^Message/).inputValue(), visit.value, 'the typed value');
  // A page that was built long ago has no token. The relay's answer has one, and all that was typed.
  if (new URL(page.url()).origin === new URL(visit.address).origin) return;
  await page.waitForTimeout(1100);
  await sendUntilSent(visit);
}

/** Whether the first of the two appeared. */
const either = (first: Locator, second: Locator): Promise<boolean> =>
  Promise.race([
    first.waitFor().then(() => true),
    second
      .first()
      .waitFor()
      .then(() => false),
  ]);

const asksForAllKinds = async (page: Page) => (await page.locator('[name=stars]').count()) > 0;

/** Fills in fields whose scripts change the page, if it has them. */
async function fillInAllKinds({ page }: Visit): Promise<void> {
  if (!(await asksForAllKinds(page))) return;
  await page.locator('[name=stars][value="4"]').check({ force: true });
  await page.locator('input[name=phone]').fill('030 901820');
  await page.locator('[name="home.city"]').fill('Berlin');
  await page.locator('[name="home.line1"]').fill('Hauptstraße 1');
  await page.locator('[name="home.postal_code"]').fill('10115');
  await page.locator('[name="tickets.1.price"]').fill('12.5');
  await page.locator('[name="tickets.1.amount"]').fill('2');
  await page.getByRole('button', { name: 'Add another' }).click();
  await page.locator('[name="tickets.2.price"]').fill('5');
  await page.locator('[name="tickets.2.amount"]').fill('1');
}

async function areAllDelivered(visit: Visit): Promise<void> {
  const hasAllKinds = await asksForAllKinds(visit.page);
  await sendUntilSent(visit);
  if (!hasAllKinds) return;
  const wanted = {
    stars: '4',
    phone: '+4930901820',
    home: '{"country":"DE","line1":"Hauptstraße 1","city":"Berlin","postal_code":"10115"}',
    tickets: '[{"price":12.5,"amount":2},{"price":5,"amount":1}]',
  };
  for (const [name, value] of Object.entries(wanted)) expect(visit.delivered(name), value, name);
}

export const cases: readonly Case[] = [
  { name: 'success', before: come, during: sendUntilSent },
  {
    name: 'kinds of fields',
    before: async (visit) => {
      await come(visit);
      await fillInAllKinds(visit);
    },
    during: areAllDelivered,
  },
  {
    name: '422',
    before: async (visit) => {
      const { page } = visit;
      await come(visit);
      await page.getByLabel(/^Email/).fill('ada');
      // The browser's validation would keep it from the relay.
      await page.evaluate('document.querySelector("form").noValidate = true');
      await send(visit);
      await page.locator('.field-error').filter({ visible: true }).waitFor();
      await isRejected(visit, /@|email/i);
      expect(await page.getByLabel(/^Email/).getAttribute('aria-invalid'), 'true', 'marked as wrong');
      expect(await page.getByLabel(/^Email/).inputValue(), 'ada', 'the typed value');
      await page.getByLabel(/^Email/).fill('ada@example.org');
    },
    after: sendUntilSent,
  },
  {
    name: 'expired',
    before: come,
    trouble: async (world) => {
      await new Promise((resolve) => setTimeout(resolve, 3500));
      await world.restart({ formTtl: '3s' });
    },
    during: async (visit) => {
      const { page } = visit;
      await send(visit);
      const expired = page.locator('.form-errors, .form-status').getByText(/expired/);
      // Alternatively, the script has resubmitted with the token from this answer.
      if (!(await either(thanks(page), expired))) {
        await isRejected(visit, /expired/);
        await send(visit);
      }
      await isSent(visit);
    },
    mend: (world) => world.restart(),
  },
  {
    name: 'output down',
    before: come,
    trouble: ({ sink }) => sink.stop(),
    during: async (visit) => {
      await send(visit);
      await isRejected(visit, /not be (delivered|sent)|try again/);
    },
    mend: ({ sink }) => sink.start(),
    after: sendUntilSent,
  },
  {
    name: 'relay down',
    before: come,
    trouble: (world) => world.stopRelay(),
    during: async (visit) => {
      await send(visit);
      await isRejected(visit, /could not be sent/);
    },
    mend: (world) => world.restart(),
    after: sendUntilSent,
  },
  {
    name: '429',
    before: come,
    trouble: async (world) => {
      await world.restart({ env: { THROTTLE_RATE_LIMIT: '0.001', THROTTLE_BURST_LIMIT: '1' } });
      await fetch(`${world.relay}/api/v1/token/contact`);
    },
    during: async (visit) => {
      await send(visit);
      await isRejected(visit, /too many requests|try again/i);
    },
    mend: (world) => world.restart(),
    after: sendUntilSent,
  },
  {
    name: 'double click',
    before: async (visit) => {
      const { page } = visit;
      await come(visit);
      await button(page).dblclick();
      await isSent(visit);
      // A second submission would have been sent by then.
      await page.waitForTimeout(500);
    },
    after: isSent,
  },
  {
    name: 'back button',
    before: async (visit) => {
      const { page, value } = visit;
      await open(visit);
      await fillIn(visit, 'business');
      await page.getByRole('link', { name: 'Elsewhere' }).click();
      await page.getByText('Another page.').waitFor();
      await page.evaluate('history.back()');
      await page.getByText('Another page.').waitFor({ state: 'hidden' });
      await page.getByLabel(/^Name/).waitFor();
      if (await asksForKind(page)) {
        // The choice matches the fields shown for it.
        const isBusiness = await page.getByLabel('business').isChecked();
        expect(await page.getByLabel(/^Company/).isVisible(), isBusiness, 'asks for the company');
      }
      await fillIn(visit, 'business');
      expect(await page.getByLabel(/^Message/).inputValue(), value, 'message');
    },
    after: sendUntilSent,
  },
  { name: 'no JavaScript', browser: 'without JavaScript', before: sendWithoutScript },
  // An ad blocker, a site policy, or a slow network.
  { name: 'no form.js', browser: 'without these scripts', before: sendWithoutScript },
];
