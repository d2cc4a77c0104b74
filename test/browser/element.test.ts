import { expect, test } from 'vitest';
import {
  complaintsOf,
  describeInBrowser,
  documentWith,
  openPage,
  screenshot,
  stage,
  violationsIn,
} from './stage.ts';

const forms = `
  contact:
    title: Contact us
    confirmation: Thank you, really.
    fields:
      - {name: kind, type: radios, options: [personal, business], required: true}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: vat, visible_when: {field: company, filled: true}}
      - {name: email, type: email, required: true, help: We answer here.}
      - {name: topics, type: checkboxes, options: [sales, support], min_choices: 1, required: true}
    spam: {honeypot: website, min_fill_seconds: 3}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

describeInBrowser('<relay-form>', () => {
  test('fields that come and go, two errors, their correction, the confirmation', async () => {
    const at = await stage({ forms });
    const element = `<relay-form src="${at.origin}/api/v1/form/contact"><a href="${at.origin}/api/v1/form/contact">Write to us</a></relay-form>`;
    at.serve('/page', documentWith(element, `<script src="${at.origin}/api/v1/form.js" defer></script>`));
    const page = await openPage();
    await page.goto(`${at.host}/page`);
    await page.getByLabel('business').check();
    await page.getByLabel('Company').fill('Engines');
    await page.getByLabel('Vat').waitFor();
    await page.getByLabel('Email').fill('ada@localhost@');
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
    });
    at.advance(3_000);
    await page.getByRole('button').click();
    await page.getByText('There is a problem').waitFor();
    await screenshot(page, 'element_errors');
    expect(await violationsIn(page)).toEqual([]);
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('support').check();
    await page.getByRole('button').click();
    await page.getByText('Thank you, really.').waitFor();
    expect(at.delivered).toEqual([
      [
        ['company', 'Engines'],
        ['email', 'ada@example.org'],
        ['kind', 'business'],
        ['topics', 'support'],
      ],
    ]);
    expect(complaintsOf(page)).toEqual([]);
  });
});
