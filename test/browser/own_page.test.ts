/** The relay's own page: with scripts, it works like `<relay-form>`; without scripts, like plain HTML. */
import { everyField } from '../../packages/core/test/html/every_field.ts';
import { describeInBrowser, openBy, openPage, type Page, press, type Stage, stage } from './stage.ts';

type Value = string | readonly string[];

async function fillIn(page: Page, given: Readonly<Record<string, Value>>): Promise<void> {
  for (const [name, value] of Object.entries(given)) {
    // A telephone number has a second control for its country.
    const controls = page.locator(`[name="${name}"]:not([data-beside])`);
    const type = await controls.first().evaluate((one) => (one as HTMLInputElement).type);
    if (/^select/.test(type)) await controls.selectOption(value as string);
    else if (/^(radio|checkbox)$/.test(type))
      for (const one of [value].flat())
        await (one === 'on' ? controls : page.locator(`[name="${name}"][value="${one}"]`)).check({
          force: true,
        });
    else await controls.fill(value as string);
  }
}

/** The form as a visitor sees it: controls, marks, text and buttons. */
const look = (page: Page) =>
  page.locator('form.form-relay').evaluate((form) => {
    const seen = (selector: string) =>
      [...form.querySelectorAll<HTMLInputElement>(selector)].filter((one) => one.checkVisibility());
    return {
      controls: seen('input,select,textarea').map((one) => {
        const { name, type, value, checked, disabled, required } = one;
        return [name, type === 'file' ? '' : value, checked, disabled, required, one.ariaInvalid].join(' ');
      }),
      words: seen(
        'button,legend,label,output,.form-note,.field-note,.field-required,.field-condition,.field-help,.field-error,.form-status,.form-progress,.form-step-title,.file-item',
      ).map((one) => `${one.className} ${one.innerText}`.replaceAll(/\s+/g, ' ').trim()),
    };
  });

interface Hand {
  readonly page: Page;
  readonly hasScript: boolean;
  /** Records the current view for comparison. */
  readonly see: () => Promise<unknown>;
  /** Submits the form as it is, regardless of the browser's own checks. */
  readonly send: () => Promise<void>;
}

interface Journey {
  readonly form: string;
  readonly go: (hand: Hand) => Promise<unknown>;
}

const outputs = 'outputs: [{type: http_post, url: "$sink", mapping: "*", retries: 0}]';

const everyValue: Readonly<Record<string, Value>> = {
  first_name: 'Ada',
  email: 'ada@example.org',
  message: 'Two lines,\nor three',
  website: 'https://ada.example',
  phone: '+49 30 1',
  seats: '3',
  day: '2030-02-03',
  at: '09:15',
  appointment: '2030-02-03T10:30',
  country: 'gb',
  languages: ['French', 'German'],
  topics: ['sales', 'press'],
  consent: 'on',
  'home.line1': 'Am Platz 1',
  'home.postal_code': '10115',
  'home.city': 'Berlin',
  'rated.food': 'poor',
  'rated.music': 'good',
  'days.morning': ['mon', 'tue'],
  'guests.1.name': 'Grace',
  'guests.1.age': '36',
  terms: 'on',
  mobile: '030 901820',
  stars: '2',
  nps: '0',
  nights: '7',
  nation: 'DE',
};

const journeys: Readonly<Record<string, Journey>> = {
  'every type of field': {
    form: everyField.replace('company, required: true', 'company'),
    go: async ({ page, see, send }) => {
      await see();
      await send();
      await page.locator('.field-error').first().waitFor();
      await see();
      await fillIn(page, { ...everyValue, kind: 'business' });
      await fillIn(page, { company: 'Engines' });
      await see();
      await send();
    },
  },
  conditions: {
    form: `
  f:
    fields:
      - {name: kind, type: radios, options: [person, {value: firm, label: A firm}, club], required: true}
      - {name: company, required: true, visible_when: {field: kind, is: firm}}
      - {name: age, type: number, visible_when: {field: kind, is_not: firm}}
      - {name: parent, required_when: {field: age, at_most: 17}, visible_when: {field: kind, is: person}}
      - {note: Clubs pay less., visible_when: {all: [{field: kind, is: club}, {field: age, at_least: 18}]}}
      - {name: topics, type: checkboxes, options: [a, b], required_when: {field: kind, is: club}}
      - {name: home, type: address, countries: [DE], required: true, visible_when: {field: topics, contains: b}}
      - {name: terms, type: consent, label: I agree, visible_when: {any: [{field: company, filled: true}, {field: age, filled: true}]}}
    ${outputs}
`,
    go: async ({ page, see, send }) => {
      await see();
      await fillIn(page, { kind: 'firm', company: 'Engines' });
      await see();
      await fillIn(page, { kind: 'club', age: '20' });
      await see();
      await fillIn(page, { kind: 'person', age: '12', topics: 'b' });
      await see();
      await send();
      await page.locator('.field-error').first().waitFor();
      await see();
      await fillIn(page, {
        parent: 'Ann',
        'home.line1': 'A 1',
        'home.postal_code': '10115',
        'home.city': 'B',
      });
      await page.locator('[name=terms]').check();
      await see();
      await send();
    },
  },
  steps: {
    form: `
  f:
    title: Steps
    fields:
      - {name: age, type: number, required: true}
      - {name: parent, required: true}
      - {name: stars, type: rating}
      - {name: topics, type: checkboxes, options: [a, b, c], min_choices: 2}
    steps:
      - {title: You, fields: [age]}
      - {title: Parents, fields: [parent], visible_when: {field: age, at_most: 17}}
      - {title: The rest, fields: [stars, topics]}
    ${outputs}
`,
    go: async ({ page, hasScript, see, send }) => {
      await fillIn(page, { age: '12' });
      await see();
      if (hasScript) {
        await send();
        await page.getByText('Step 2 of 3').waitFor();
        await see();
        await press(page, 'Back');
        await page.getByText('Step 1 of 3').waitFor();
        await send();
        await page.getByText('Step 2 of 3').waitFor();
        await fillIn(page, { parent: 'Ann' });
        await send();
        await page.getByText('Step 3 of 3').waitFor();
      } else await fillIn(page, { parent: 'Ann' });
      await fillIn(page, { stars: '4', topics: 'a' });
      await send();
      await page.locator('.field-error').first().waitFor();
      await see();
      await fillIn(page, { topics: 'b' });
      await send();
    },
  },
  uploads: {
    form: `
  f:
    fields:
      - {name: who, min_length: 3}
      - {name: cv, type: file, multiple: true, max_files: 3, max_size: 1KB, accept: [txt]}
    outputs: [{type: webhook, url: "$sink", mapping: "*", retries: 0}]
`,
    go: async ({ page, hasScript, see, send }) => {
      const file = (name: string, size = 10) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.alloc(size, 'x'),
      });
      const choose = (...files: ReturnType<typeof file>[]) => page.locator('[name=cv]').setInputFiles(files);
      await see();
      if (hasScript) {
        await choose(file('big.txt', 2_000));
        await page.locator('.field-error').waitFor();
        await see();
      }
      await choose(file('a.txt'), file('b.txt'));
      await fillIn(page, { who: 'Al' });
      await send();
      await page.locator('.field-error').first().waitFor();
      await see();
      await fillIn(page, { who: 'Ada' });
      if (!hasScript) await choose(file('a.txt'), file('b.txt'));
      await send();
    },
  },
};

const ways = {
  element: (at: Stage, form: string) => openBy('script', at, form),
  page: (at: Stage, form: string) => openBy('page', at, form),
  html: async (at: Stage, form: string) =>
    openBy('page', at, form, await openPage({ locale: 'en', javaScriptEnabled: false })),
};

/** Completes the form, and returns the deliveries and the views along the way. */
async function travel(way: keyof typeof ways, { form, go }: Journey) {
  const at = await stage({ forms: form });
  const hasScript = way !== 'html';
  const page = await ways[way](at, /^ {2}(\w+):/m.exec(form)?.[1] ?? '');
  await page.locator('form.form-relay').waitFor();
  if (hasScript) await page.waitForLoadState('networkidle');
  const seen: unknown[] = [];
  at.advance(3_000);
  await go({
    page,
    hasScript,
    see: async () => seen.push(await look(page)),
    send: async () => {
      await page.locator('form.form-relay').evaluate((one: HTMLFormElement) => {
        one.noValidate = true;
      });
      await page.locator('form.form-relay [type=submit]').click();
    },
  });
  await page.locator('.form-confirmation').waitFor();
  // Browsers send CRLF, scripts LF. A consent has its time.
  return {
    body: at.sink.requests.map(({ body }) =>
      body.replaceAll('%0D%0A', '%0A').replaceAll(/2\d{3}-\d\d-\d\dT[\d%A]+Z/g, 'now'),
    ),
    seen,
  };
}

describeInBrowser('the relay’s own page', () => {
  test.each(Object.entries(journeys))(
    'shows and sends the same as the element and plain HTML: %s',
    async (_, journey) => {
      const element = await travel('element', journey);
      expect(await travel('page', journey)).toEqual(element);
      expect((await travel('html', journey)).body).toEqual(element.body);
      expect(element.body).toHaveLength(1);
    },
  );

  test('leads to a page whose title says that the form was sent, and a reload sends nothing again', async () => {
    const at = await stage({ forms: journeys.conditions?.form ?? '' });
    const page = await openBy('page', at, 'f');
    await fillIn(page, { kind: 'firm', company: 'Engines' });
    await page.locator('[name=terms]').check();
    await press(page, 'Send');
    for (const reload of [() => page.reload(), () => undefined]) {
      await page.locator('.form-confirmation').waitFor();
      expect(await page.title()).toBe('Sent: F');
      await reload();
    }
    expect(at.sink.requests).toHaveLength(1);
  });

  // A click on the button may be faster than the script.
  test('that was returned to a visitor whose script loaded late: errors disappear when corrected, step by step', async () => {
    const at = await stage({ forms: journeys.steps?.form ?? '' });
    const page = await openPage({ isIsolated: true });
    let isLate = true;
    await page.route('**/api/v1/form.js', (route) =>
      isLate ? route.fulfill({ body: '' }) : route.continue(),
    );
    await page.goto(`${at.origin}/f/f`);
    await fillIn(page, { age: '12', parent: 'Ann', topics: 'a' });
    isLate = false;
    await press(page, 'Send');
    await page.getByText('Step 3 of 3').waitFor();
    await page.getByText('You chose 1. Choose at least 2.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('topics');
    await fillIn(page, { topics: 'b' });
    expect(await page.locator('.field-error, .form-status li, [aria-invalid]').count()).toBe(0);
    await press(page, 'Send');
    await page.locator('.form-confirmation').waitFor();
    expect(at.sink.requests).toHaveLength(1);
  });
});
