/** A visitor changes and withdraws a submission, with and without a script. */
import { tempFolder } from '../support/temp_folder.ts';
import { describeInBrowser, isSound, openPage, stage } from './stage.ts';

const looks = [
  { locale: 'en', javaScriptEnabled: true, viewport: { width: 1440, height: 900 } },
  { locale: 'en', javaScriptEnabled: false, viewport: { width: 390, height: 800 } },
  { locale: 'ar', javaScriptEnabled: true, viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
] as const;

describeInBrowser('change and withdraw', () => {
  test.each(looks)('in %o', async (look) => {
    const { locale, javaScriptEnabled } = look;
    const at = await stage({
      forms: `
  course:
    title: A course
    ${locale === 'en' ? '' : `language: ${locale}`}
    changes: 7d
    places: 1
    fields:
      - {name: name, label: Name, required: true}
      - {name: day, label: Day, type: radios, options: [{value: mon, label: Monday}, {value: tue, label: Tuesday}]}
      - {name: notes, label: Notes, type: textarea}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
counted_in: ${tempFolder()}
`,
      env: { PUBLIC_URL: 'https://forms.acme.example' },
    });
    const page = await openPage(look);
    const shot = (name: string) =>
      process.env.SHOTS
        ? page.screenshot({
            path: `${process.env.SHOTS}/${name}_${locale}_${javaScriptEnabled}.png`,
            fullPage: true,
          })
        : undefined;
    const sound = async () => javaScriptEnabled && isSound(page);
    const follow = async () => {
      const href = (await page.locator('.form-changes a').getAttribute('href')) ?? '';
      await page.goto(href.replace('https://forms.acme.example', at.origin));
    };
    await page.goto(`${at.origin}/f/course`);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Monday').check();
    await page.getByLabel('Notes').fill('Vegetarian,\nplease.');
    await page.locator('button[type=submit]').click();
    await page.locator('.form-confirmation').waitFor();
    await sound();
    await shot('sent');
    await follow();
    expect(await page.locator('main').innerText()).toMatch(/Ada.*Monday.*Vegetarian,\n\s*please\./s);
    await sound();
    await shot('link');
    await page.locator('form[action="/f/course"] button').press('Enter');
    await page.getByLabel('Tuesday').check();
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    await sound();
    await shot('form');
    await page.getByLabel('Name').fill('');
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
    });
    await page.locator('button[type=submit]').click();
    await page.locator('.field-error').waitFor();
    await page.getByLabel('Name').fill('Grace');
    await page.locator('button[type=submit]').click();
    await page.locator('.form-confirmation').waitFor();
    await follow();
    expect(await page.locator('main').innerText()).toMatch(/Grace.*Tuesday/s);
    await page.locator('summary').press('Enter');
    await sound();
    await shot('withdraw');
    expect(at.delivered).toHaveLength(2);
    await page.locator('details button').press('Enter');
    await page.locator('.form-confirmation').waitFor();
    await sound();
    await shot('withdrawn');
    await page.reload();
    expect(at.delivered.map((one) => one.filter(([name]) => /^(name|day)$/.test(name)))).toEqual(
      [
        ['mon', 'Ada'],
        ['tue', 'Grace'],
        ['tue', 'Grace'],
      ].map(([day, name]) => [
        ['day', day],
        ['name', name],
      ]),
    );
    const [, changed, withdrawn] = at.delivered.map((one) => Object.fromEntries(one));
    expect(withdrawn?._withdrawn).toBe(changed?._change_of);
    await page.goto(`${at.origin}/f/course`);
    await page.getByLabel('Name').waitFor();
  });
});
