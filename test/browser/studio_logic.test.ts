/** The studio's list of conditions: as sentences, edited in place, tried with values. */
import { describeInBrowser, violationsIn } from './stage.ts';
import { openStudio } from './visit_studio.ts';

const config = `forms:
  quote:
    fields:
      - {name: kind, label: I am, type: radios, options: [{value: person, label: a person}, {value: business, label: a company}]}
      - {name: company, label: Company, visible_when: {field: kind, is: business}, required_when: {field: kind, is: business}}
      - {name: topics, label: Topics, type: checkboxes, options: [sales, press]}
      - {name: budget, label: Budget, type: number, visible_when: {all: [{field: kind, is: business}, {not: {field: topics, is: press}}]}}
      - {name: name, label: Name, required: true}
    steps:
      - {title: One, fields: [kind, company, topics, budget]}
      - {title: Two, fields: [name], visible_when: {field: topics, filled: true}}
    thanks:
      - {when: {field: budget, at_least: 1000}, text: 'Thank you, {{ .fields.name }}.'}
      - {when: {field: topics, is: press}, redirect: https://acme.dev/press}
    outputs:
      - {type: webhook, url: "https://hooks.acme.dev/", mapping: {n: name}}
      - {type: webhook, url: "https://sales.acme.dev/", mapping: {n: name}, when: {field: kind, is: business}}
`;

async function open(colorScheme: 'light' | 'dark' = 'light') {
  const { at, page } = await openStudio(config, '/', { colorScheme });
  await page.locator('#build-logic').click();
  const rules = page.locator('.logic-open');
  const said = async () => (await rules.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
  const follows = (name: string) =>
    page.locator('.logic-follows > div', { hasText: name }).locator('bdi').allInnerTexts();
  return { at, page, rules, said, follows };
}

describeInBrowser('the conditions of a form', () => {
  test('are sentences, and sample values show their effects', async () => {
    const { page, said, follows } = await open();
    await expect
      .poll(said)
      .toEqual([
        'Show “Company” if “I am” is “a company” (not now)',
        'Show “Budget” if “I am” is “a company” and “Topics” is not “press” (not now)',
        'Require “Company” if “I am” is “a company” (not now)',
        'Show step “Two” if “Topics” is filled in (not now)',
        'Send to https://sales.acme.dev/ if “I am” is “a company” (not now)',
        'Say “Thank you, {{ .fields.name }}.” if “Budget” is at least 1000 (not now)',
        'Go to “https://acme.dev/press” if “Topics” is “press” (not now)',
      ]);
    expect(await follows('Hidden')).toEqual(['Company', 'Budget', 'Name']);
    await page.getByLabel('I am', { exact: true }).selectOption('a company');
    await page.getByLabel('sales').check();
    await page.getByLabel('Budget', { exact: true }).fill('1000');
    await expect.poll(() => follows('Visitors read')).toEqual(['Thank you, Ada Lovelace.']);
    expect(await follows('Required')).toEqual(['Company', 'Name']);
    expect(await follows('Sent to')).toEqual(['https://hooks.acme.dev/', 'https://sales.acme.dev/']);
    await page.getByLabel('press').check();
    await expect.poll(() => follows('Redirect visitors to')).toEqual(['https://acme.dev/press']);
    // A hidden field does not count.
    expect(await follows('Hidden')).toEqual(['Budget']);
  });

  test('are changed, added and removed in place, by keyboard', async () => {
    const { at, page, rules, said } = await open();
    await rules.nth(4).focus();
    await page.keyboard.press('Enter');
    const field = page.getByLabel('Send to https://sales.acme.dev/ only if: field');
    await field.selectOption({ label: 'If Topics (topics)' });
    await expect
      .poll(said)
      .toContainEqual(expect.stringContaining('Send to https://sales.acme.dev/ if “Topics” is “sales”'));
    await page.getByLabel('Add a condition').selectOption({ label: 'Require “Budget” only if …' });
    await page.getByLabel('Require “Budget” only if: field').selectOption({ label: 'If I am (kind)' });
    await expect
      .poll(said)
      .toContainEqual(expect.stringContaining('Require “Budget” if “I am” is “a person”'));
    await rules.first().press('Enter');
    await page.getByLabel('Show “Company” only if: field').selectOption({ label: 'Always' });
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => at.file).toContain('required_when: {field: kind, is: person}');
    expect(at.file).toContain('when: {field: topics, is: sales}');
    expect(at.file).not.toContain('label: Company, visible_when');
  });

  test.each(['light', 'dark'] as const)('have no accessibility problems: %s', async (scheme) => {
    const { page, rules } = await open(scheme);
    await rules.nth(1).click();
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await violationsIn(page)]).toEqual([width, []]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
  });
});
