/** Links that fill in a form, in a browser: those that visitors mail themselves (`resume`), and the owner's (`links`). */
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { resumeCode } from '../../packages/element/built/resume.ts';
import { sealLink } from '../../packages/senders/src/links/sealed_link.ts';
import { decodeMail } from '../support/mail.ts';
import { startSmtpSink } from '../support/smtp_sink.ts';
import {
  complaintsOf,
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  openPage,
  stage,
  violationsIn,
} from './stage.ts';

const secret = 'not so secret';

async function open() {
  const smtp = await startSmtpSink();
  onTestFinished(smtp.close);
  const at = await stage({
    forms: `
  apply:
    title: Summer school
    confirmation: We have it.
    links: optional
    resume: true
    fields:
      - {name: email, type: email, required: true}
      - {name: name, required: true}
      - {name: kind, type: radios, options: [personal, business]}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: letter, type: textarea, required: true}
    steps: [{title: You, fields: [email, name]}, {title: More, fields: [kind, company, letter]}]
    outputs:
      - {type: http_post, url: "$sink", mapping: "*"}
      - {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: school@acme.example, to: office@acme.example, mapping: "*"}
  short:
    resume: {through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: school@acme.example}}
    links: optional
    fields: [{name: email, type: email, required: true}, {name: plan, type: select, options: [gold, silver]}, {name: letter, required: true}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`,
    env: { FORM_TOKEN_SECRET: secret, PUBLIC_URL: 'https://forms.acme.example' },
  });
  const fill = () => /fill=[\w-]+/.exec(decodeMail(smtp.mails.at(-1)?.raw ?? '').text)?.[0] ?? '';
  const host = (form: string, query = '') => {
    at.serve(
      `/page${query}`,
      documentWith(
        `<relay-form src="${at.origin}/api/v1/form/${form}"></relay-form>\n`,
        `<script src="${at.origin}/api/v1/form.js" defer></script>\n`,
      ),
    );
    return `${at.host}/page${query}`;
  };
  return { at, smtp, fill, host };
}

const later = { name: 'Save for later: send me a link' };

test('the part for `resume` is about 0.5 KB', () => {
  expect(gzipSync(resumeCode, { level: 9 }).length).toBeLessThan(600);
});

describeInBrowser('links that fill in a form', () => {
  test.each([true, false])('resume on the relay’s own page, with scripts: %s', async (javaScriptEnabled) => {
    const { at, smtp, fill } = await open();
    const page = await openPage({ locale: 'en', javaScriptEnabled });
    await page.goto(`${at.origin}/api/v1/form/apply`);
    await page.getByLabel('Letter').fill('Dear school,\nhello.');
    await page.getByRole('button', later).click();
    await page.locator('[aria-invalid=true][name=email]').waitFor();
    expect(await page.getByLabel('Letter').inputValue()).toBe('Dear school,\nhello.');
    await page.getByLabel('Email').fill('ada@visitor.example');
    await page.getByLabel('business', { exact: true }).check();
    if (javaScriptEnabled) expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('button', later).click();
    await page.getByText('We have sent you an e-mail with a link.').waitFor();
    expect([smtp.mails.length, at.delivered.length]).toEqual([1, 0]);
    // On another device.
    const other = await openPage({ locale: 'en', javaScriptEnabled });
    await other.goto(`${at.origin}/api/v1/form/apply?as=page&${fill()}`);
    expect(await other.getByLabel('Letter').inputValue()).toBe('Dear school,\nhello.');
    expect(await other.getByLabel('Email').inputValue()).toBe('ada@visitor.example');
    expect(await other.getByLabel('business', { exact: true }).isChecked()).toBe(true);
    await other.getByLabel('Company').fill('Engines');
    await other.getByLabel('Name').fill('Ada');
    await other.getByRole('button', { name: 'Send', exact: true }).click();
    await other.getByText('We have it.').waitFor();
    expect(at.delivered).toHaveLength(1);
    expect(complaintsOf(other)).toEqual([]);
  });

  test('resume with the script, in the middle of steps: the form stays, and can be sent', async () => {
    const { at, smtp, fill, host } = await open();
    const page = await openPage({ locale: 'en' });
    // The button waits for its part.
    let partsLate = 0;
    await page.route(/\/api\/v1\/resume\b/, async (route) => {
      partsLate += 1;
      await setTimeout(1_000);
      await route.continue();
    });
    await page.goto(host('apply'));
    await page.getByLabel('Email').fill('ada@visitor.example');
    await page.evaluate(() => {
      document.addEventListener('form-relay:failed', () => document.body.append('told of a failure'));
    });
    const sent = page.evaluate(
      () => new Promise((resolve) => document.addEventListener('form-relay:sent', () => resolve('sent'))),
    );
    sent.catch(() => {});
    await page.getByRole('button', later).click();
    await page.getByRole('alert').getByText('We have sent you an e-mail with a link.').waitFor();
    expect(partsLate).toBe(1);
    expect(await page.getByText('told of a failure').count()).toBe(0);
    expect(await page.getByRole('alert').getByRole('list').count()).toBe(0);
    expect(await page.getByText('Step 1 of 2').isVisible()).toBe(true);
    expect(await violationsIn(page)).toEqual([]);
    const other = await openPage({ locale: 'en' });
    await other.goto(host('apply', `?${fill()}`));
    expect(await other.getByLabel('Email').inputValue()).toBe('ada@visitor.example');
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Letter').fill('Hello.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await sent).toBe('sent');
    expect([smtp.mails.filter(({ envelope }) => envelope.from === '').length, at.delivered.length]).toEqual([
      1, 1,
    ]);
    expect(complaintsOf(page)).toEqual([]);
  });

  test.each(['htmx4'] as const)('resume and a locked value with %s', async (version) => {
    const { at, smtp, fill } = await open();
    const load = (query: string) =>
      documentWith(
        `<div hx-get="${at.origin}/api/v1/form/short${query}" hx-trigger="load" hx-swap="outerHTML"></div>\n`,
        `${crossOriginConfig[version]}<script src="/${version}.js"></script>\n`,
      );
    at.serve('/page', load(''));
    const page = await openPage({ locale: 'en' });
    // The form names the relay by its public address.
    await page.route('https://forms.acme.example/**', async (route) => {
      const url = route.request().url().replace('https://forms.acme.example', at.origin);
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.goto(`${at.host}/page`);
    await page.getByLabel('Email').fill('ada@visitor.example');
    await page.getByRole('button', later).click();
    await page.locator('.form-confirmation').getByText('We have sent you an e-mail with a link.').waitFor();
    expect([smtp.mails.length, at.delivered.length]).toEqual([1, 0]);
    at.serve('/again', load(`?${fill()}`));
    await page.goto(`${at.host}/again`);
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@visitor.example');
    const locked = sealLink(
      secret,
      'short',
      { until: Date.now() + 1e9, values: new Map([['plan', ['gold']]]), locked: ['plan'], isOwners: true },
      'fresh',
    );
    at.serve('/locked', load(`?fill=${locked}`));
    await page.goto(`${at.host}/locked`);
    await page.getByText('gold').waitFor();
    expect(await page.locator('select').count()).toBe(0);
    await page.getByLabel('Email').fill('ada@visitor.example');
    await page.getByLabel('Letter').fill('Hello.');
    await page.locator('[name=plan]').evaluate((input: HTMLInputElement) => {
      input.value = 'silver';
    });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Thank you.').waitFor();
    expect(Object.fromEntries(at.delivered[0] ?? [])).toMatchObject({ plan: 'gold' });
  });

  test('a link of the owner’s on a page with the script: locked values, conditions, and an old link', async () => {
    const { at, host } = await open();
    const page = await openPage({ locale: 'en' });
    const link = (until: number) =>
      sealLink(
        secret,
        'apply',
        {
          until,
          values: new Map([
            ['name', ['Ada']],
            ['kind', ['business']],
          ]),
          locked: ['kind'],
          isOwners: true,
        },
        'fresh',
      );
    await page.goto(host('apply', `?fill=${link(Date.now() + 1e9)}`));
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    await page.getByLabel('Email').fill('ada@visitor.example');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('business').waitFor();
    expect(await page.locator('input[type=radio]').count()).toBe(0);
    expect(await violationsIn(page)).toEqual([]);
    await page.getByLabel('Company').fill('Engines');
    await page.getByLabel('Letter').fill('Hello.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('We have it.').waitFor();
    expect(Object.fromEntries(at.delivered[0] ?? [])).toMatchObject({ kind: 'business', company: 'Engines' });
    await page.goto(host('apply', `?fill=${link(1)}`));
    await page.getByText('This link has expired. You can fill in the form anew.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
    expect(complaintsOf(page)).toEqual([]);
  });
});
