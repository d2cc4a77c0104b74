import type { Page } from 'playwright-core';
import { answers, conditionForm, holding } from '../support/condition_cases.ts';
import { describeInBrowser, documentWith, openBy, openPage, type Stage, stage, ways } from './stage.ts';

const demandedToo = conditionForm('required_when').replace('table', 'demanded');
const stepped = `
  stepped:
    fields: [{name: age, type: number}, {name: parent}, {name: note}]
    steps:
      - {title: You, fields: [age]}
      - {title: Your parents, fields: [parent], visible_when: {field: age, at_most: 17}}
      - {title: The rest, fields: [note]}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const noted = `
  noted:
    fields:
      - {name: kind}
      - {note: Bring your papers., visible_when: {field: kind, contains: x}}
      - {name: size, visible_when: {field: kind, contains: x}}
    groups: [{legend: Sizes, fields: [size]}]
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;
const options = { forms: `${conditionForm('visible_when')}${demandedToo}${stepped}${noted}` };

async function fillIn(page: Page, given: object): Promise<void> {
  await page.locator('[name=kind]').first().waitFor();
  for (const [name, values] of Object.entries(given))
    for (const value of [values].flat()) {
      const choice = page.locator(`[name=${name}][value=${JSON.stringify(value)}]`);
      const box = page.locator(`[name=${name}]`);
      if (await choice.and(page.locator('[type=radio], [type=checkbox]')).count()) await choice.check();
      else if (await box.isVisible()) await box.fill(value);
    }
}

/** Fields that visitors see, and that are sent. */
const shown = (page: Page) =>
  page
    .locator('[name^=when]')
    .evaluateAll((all) =>
      (all as HTMLInputElement[])
        .filter((one) => one.checkVisibility() && !one.disabled)
        .map(({ name }) => name),
    );

/** A field, the value in its conditions, and a part of one; each in two spellings. */
const odd = {
  text: ['{name: d}', ['Zoe\u0308', ' SUMMER24 '], 'oë', '.*ë'],
  textarea: ['{name: d, type: textarea}', ['Zoe\u0308'], 'oë', '.*ë'],
  hidden: ['{name: d, type: hidden}', ['Zoe\u0308'], 'oë', '.*ë'],
  url: ['{name: d, type: url}', ['https://example.org/'], 'EXAMPLE', 'https:.*'],
  tel: ['{name: d, type: tel}', ['+49 30 901820'], '0 9', '[+]49.*'],
  'tel with a country': ['{name: d, type: tel, country: DE}', ['030 901820'], '30-90', '[+]49.*'],
  'tel with any country': ['{name: d, type: tel, country: true}', ['+49 30 901820'], '+49 30', '[+]49.*'],
  one_of: ['{name: d, one_of: [SUMMER24, Zoë]}', ['summer24', 'zoe\u0308'], 'mer', 'SUM.*|Z.*'],
  email: ['{name: d, type: email}', ['Ada@Example.org'], '@EXAMPLE', 'ada@.*'],
  number: ['{name: d, type: number}', ['5.0', '-0'], '5', '\\d'],
  range: ['{name: d, type: range}', ['5.0'], '5', '\\d'],
  date: ['{name: d, type: date}', ['2027-03-31'], '-03-', '2027.*'],
  time: ['{name: d, type: time}', ['6:30 pm'], '8:', '18.*'],
  datetime: ['{name: d, type: datetime}', ['2027-03-31 18:30'], 'T18', '2027.*'],
  country: ['{name: d, type: country}', ['de'], 'd', 'D.'],
  rating: ['{name: d, type: rating}', ['5'], '5', '\\d'],
  scale: ['{name: d, type: scale}', ['5'], '1', '\\d'],
  select: ['{name: d, type: select, options: [Zoe\u0308, "5"]}', ['Zoë'], 'OË', '.*ë'],
  radios: ['{name: d, type: radios, options: [Zoë, "5"]}', ['Zoe\u0308'], 'OË', '.*ë'],
  checkboxes: ['{name: d, type: checkboxes, options: [Zoë, "5"]}', ['Zoe\u0308'], 'OË', '.*ë'],
  checkbox: ['{name: d, type: checkbox, checked_value: Zoë}', ['Zoe\u0308'], 'OË', '.*ë'],
} as const;
type Odd = keyof typeof odd;

const isAmount = /number|range|rating|scale/;
const oddValues = [
  ...[
    ...['', ' ', 'Zoë', ' Zoe\u0308', 'Z\u200bo\u2060ë', 'ZOË', 'SUMMER24', ' summer24 ', 'Summer24\u200c'],
    ...['a\nb'],
  ],
  ...['5', '5.0', '５', '٥', '-0', '-1', '0x5', '0o7', 'Infinity', '1e1', '1,500', '１，５００', '\u200b9'],
  ...[
    ...['18:30', '6:30 pm', '18:30:00', '\u200b9:05', '2027-03-31', '٢٠٢٧-٠٣-٣١', '2027-03-31 18:30'],
    ...['2027-01-01T08:00', '2027-04-01T09:05:00+02:00'],
  ],
  ...[
    ...['Ada@Example.org', 'Ada <ada@example.org>', 'de', 'DE', '030 901820', '+49 30 901820'],
    ...['+49 (0)30 901820', 'https://example.org/\u2060', 'tel:+49-30-901820;ext=12'],
  ],
];

/** Has a field that is shown, and one that is required, for each test. */
function oddForm(type: Odd): string {
  const [field, , part, pattern] = odd[type];
  const quoted = JSON.stringify;
  const tests = [
    ...odd[type][1].flatMap((value) => [`is: ${quoted(value)}`, `is_not: ${quoted(value)}`]),
    ...[`contains: ${quoted(part)}`, `matches: ${quoted(pattern)}`, 'filled: true', 'filled: false'],
    ...(isAmount.test(type) || type === 'text' ? ['at_least: 5', 'at_most: 5'] : []),
    ...(/date|text$/.test(type) ? ['before: 2027-03-31', 'after: 2027-03-30'] : []),
    ...(/^time|text$/.test(type) ? ['before: "18:30"', 'after: "18:29"'] : []),
    ...(/datetime|text$/.test(type) ? ['before: "2027-03-31T18:31"', 'after: "2027-03-31T18:29"'] : []),
  ];
  const dependent = tests.flatMap((one, index) => [
    `      - {name: when${index}, required: true, visible_when: {field: d, ${one}}}`,
    `      - {name: must${index}, required_when: {field: d, ${one}}}`,
  ]);
  return `  odd:\n    time_zone: UTC\n    fields:\n      - ${field}\n${dependent.join('\n')}\n    outputs: [{type: http_post, url: "$sink", mapping: "*"}]\n`;
}

/** Fields that the page shows, and fields that it requires. */
const onPage = (page: Page) =>
  page
    .locator('[name^=when], [name^=must]')
    .evaluateAll((all) =>
      (all as HTMLInputElement[])
        .filter((one) => (one.name.startsWith('when') ? one.checkVisibility() : one.required))
        .map(({ name }) => name),
    );

/** Fields that the relay reports as missing if only these values are sent. */
async function missedBy(
  { origin }: Pick<Stage, 'origin'>,
  given: readonly string[],
): Promise<readonly string[]> {
  const body = new URLSearchParams(given.map((value) => ['d', value.replaceAll('\n', '\r\n')]));
  const answer = await fetch(`${origin}/api/v1/submit/odd`, {
    method: 'POST',
    body,
    headers: { accept: 'application/problem+json' },
  });

  const { errors = [] } = (await answer.json()) as { errors?: { field: string }[] };
  return errors.map(({ field }) => field).filter((field) => field !== 'd');
}

describeInBrowser('conditions', () => {
  for (const way of ways)
    test.each(Object.keys(answers))(`hold in the browser as in the relay: ${way}, %s`, async (name) => {
      const at = await stage(options);
      const page = await openBy(way, at, 'table');
      await fillIn(page, answers[name as keyof typeof answers]);
      await expect.poll(() => shown(page)).toEqual(holding(name));
    });

  test.each(ways)('notes appear and disappear: %s', async (way) => {
    const page = await openBy(way, await stage(options), 'noted');
    const note = page.getByText('Bring your papers.');
    await note.waitFor({ state: 'hidden' });
    await page.locator('[name=kind]').fill('xy');
    await note.waitFor();
    expect(await page.getByText('only if').isVisible()).toBe(false);
    await page.locator('[name=kind]').fill('y');
    await note.waitFor({ state: 'hidden' });
  });
  test('the stylesheet hides a group without fields', async () => {
    const at = await stage(options);
    const page = await openBy('script', at, 'noted');
    await page.addStyleTag({ url: `${at.origin}/api/v1/form.css` });
    const legend = page.getByText('Sizes');
    await legend.waitFor({ state: 'hidden' });
    await page.locator('[name=kind]').fill('x');
    await legend.waitFor();
  });

  test.each(Object.keys(odd) as Odd[])(
    'page and relay judge typed text in the same way: %s',
    async (type) => {
      const at = await stage({ forms: oddForm(type) });
      // All values that a page can send, because an owner's form may use any control.
      const country = type.includes('country') && type !== 'country' ? ['DE'] : [];
      const choice = country.map((code) => `<select name="d"><option>${code}</option></select>`);
      const names = [...oddForm(type).matchAll(/(?:when|must)\d+/g)].map(
        ([name]) => `<p><input name="${name}"></p>`,
      );
      at.serve(
        '/',
        documentWith(
          `<form data-form-relay="odd" action="${at.origin}/api/v1/submit/odd">${choice.join('')}<p><textarea name="d"></textarea></p>${names.join('')}<button>Send</button></form><script src="${at.origin}/api/v1/form.js"></script>`,
        ),
      );
      const page = await openPage({ url: `${at.host}/` });
      const found: Record<string, readonly string[]> = {};
      for (const value of oddValues) {
        await page.locator('textarea').fill(value);
        found[value] = await missedBy(at, [...country, value]);
        await expect.poll(() => onPage(page), { message: JSON.stringify(value) }).toEqual(found[value]);
      }
      // Each of the tests distinguishes values.
      const all = Object.values(found);
      for (const name of new Set(all.flat())) expect(all.every((one) => one.includes(name))).toBe(false);
      expect(new Set(all.flat()).size).toBe(names.length);
    },
  );
});
