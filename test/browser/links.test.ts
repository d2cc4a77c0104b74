/** Links that fill in a form, in a browser (`links`). */
import { sealLink } from '../../packages/senders/src/links/sealed_link.ts';
import {
  crossOriginConfig,
  describeInBrowser,
  documentWith,
  isSound,
  openPage,
  scriptOf,
  stage,
  tagOf,
} from './stage.ts';

const secret = 'not so secret';

async function open() {
  const at = await stage({
    forms: `
  apply:
    title: Summer school
    confirmation: We have it.
    links: optional
    fields:
      - {name: email, type: email, required: true}
      - {name: name, required: true}
      - {name: kind, type: radios, options: [personal, business]}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: letter, type: textarea, required: true}
    steps: [{title: You, fields: [email, name]}, {title: More, fields: [kind, company, letter]}]
    outputs:
      - {type: http_post, url: "$sink", mapping: "*"}
  short:
    links: optional
    fields: [{name: email, type: email, required: true}, {name: plan, type: select, options: [gold, silver]}, {name: letter, required: true}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`,
    env: { FORM_TOKEN_SECRET: secret, PUBLIC_URL: 'https://forms.acme.example' },
  });
  const host = (form: string, query = '') => {
    at.serve(`/page${query}`, documentWith(tagOf(at, form), scriptOf(at)));
    return `${at.host}/page${query}`;
  };
  return { at, host };
}

describeInBrowser('links that fill in a form', () => {
  test.each(['htmx4'] as const)('a locked value with %s', async (version) => {
    const { at } = await open();
    const load = (query: string) =>
      documentWith(
        `<div hx-get="${at.origin}/api/v1/form/short${query}" hx-trigger="load" hx-swap="outerHTML"></div>\n`,
        `${crossOriginConfig[version]}<script src="/${version}.js"></script>\n`,
      );
    const page = await openPage({ locale: 'en' });
    // The form addresses the relay by its public URL.
    await page.route('https://forms.acme.example/**', async (route) => {
      const url = route.request().url().replace('https://forms.acme.example', at.origin);
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    const locked = sealLink(
      secret,
      'short',
      { until: Date.now() + 1e9, values: new Map([['plan', ['gold']]]), locked: ['plan'] },
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

  test('an owner’s link to a page with the script: locked values, conditions, and an expired link', async () => {
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
        },
        'fresh',
      );
    // The page may show another form with its own link.
    await page.goto(host('apply', `?fill=other&fill=${link(Date.now() + 1e9)}`));
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    await page.getByLabel('Email').fill('ada@visitor.example');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('business').waitFor();
    expect(await page.locator('input[type=radio]').count()).toBe(0);
    await isSound(page);
    await page.getByLabel('Company').fill('Engines');
    await page.getByLabel('Letter').fill('Hello.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('We have it.').waitFor();
    expect(Object.fromEntries(at.delivered[0] ?? [])).toMatchObject({ kind: 'business', company: 'Engines' });
    await page.goto(host('apply', `?fill=${link(1)}`));
    await page.getByText('This link has expired. You can fill in the form again.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('');
  });
});
