import fc from 'fast-check';
import { canonicalText } from '../../packages/base/src/canonical.ts';
import type { Form } from '../../packages/core/src/form.ts';
import { renderForm, type Shown } from '../../packages/core/src/html/form_view.ts';
import { errorList } from '../../packages/core/src/html/fragments.ts';
import { renderContext } from '../../packages/core/src/http/answers.ts';
import { readSettings } from '../../packages/core/src/settings.ts';
import { pagesPlugin } from '../../packages/pages/src/index.ts';
import { pageAnswer } from '../../packages/pages/src/page_view.ts';
import { holds, runs } from '../support/fuzz.ts';
import { parseConfig } from '../support/parse_config.ts';
import { describeInBrowser, openPage } from './stage.ts';

const fragments = [
  ...['<', '>', '&', '"', "'", '`', '=', '/', ' ', ';', '--', '</form>', '<script>', '</textarea>'],
];
const more = ['<!--', '-->', ']]>', '&lt', '&#39;', '{{', '\\', '\u2028', ' onclick=x ', 'é', '😀', 'x'];
const hostile = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...fragments, ...more),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 12,
  })
  .filter((text) => text.trim() !== '');

/** The number of texts that `everywhere` takes. */
const places = 23;

/** A form with these texts in every place that shows text from its owner or its visitor. */
function everywhere(texts: readonly string[]): string {
  let taken = 0;
  const next = () => texts[taken++] ?? '';
  const common = () => ({ label: next(), help: next(), placeholder: next(), autocomplete: next() });
  const [decider, secondOption] = [next(), next()];
  const config = {
    forms: {
      [next()]: {
        title: next(),
        submit_label: next(),
        confirmation: next(),
        spam: { honeypot: next(), min_fill_seconds: 1, token_field: next() },
        captcha: { provider: 'turnstile', secret: 's', site_key: next(), field: next() },
        fields: [
          { name: 'kind', type: 'radios', options: [{ value: decider, label: next() }, secondOption] },
          { name: next(), type: 'select', options: [{ value: next(), label: next() }], ...common() },
          {
            name: next(),
            type: 'checkbox',
            label: next(),
            checked_value: next(),
            visible_when: { field: 'kind', is: decider },
          },
          { name: 'area', type: 'textarea' },
          { name: 'line', visible_when: { field: 'kind', is: secondOption } },
        ],
        outputs: [{ type: 'http_post', url: 'http://127.0.0.1:9/' }],
      },
    },
  };
  const typed = next();
  const message = next();
  expect(taken).toBe(places);
  const parsed = parseConfig(JSON.stringify(config), 'webform.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const form = [...parsed.value.forms.values()][0] as Form;
  const { services } = form;
  const settings = readSettings({});
  const request = { method: 'GET', path: '/', query: '', headers: {}, body: undefined };
  const { english } = parsed.value.registry;
  const answering = renderContext({
    request,
    requestId: '',
    form,
    settings,
    services,
    renderers: [],
    english,
    now: 0,
    isPlain: false,
    isTrusted: false,
    forms: undefined,
    sent: undefined,
  });
  const view: Shown = {
    form,
    locale: answering.locale,
    fields: form.fields,
    base: '',
    settings,
    services,
    now: 0,
    request,
    values: new Map([
      ['kind', [decider]],
      ['area', [typed]],
      ['line', [typed]],
    ]),
    sent: undefined,
    seen: [],
    errors: form.fields.map(({ name }) => ({
      field: name,
      code: 'wrong_format_described',
      params: { help: message },
    })),
    messages: [message],
    carried: new Map([['carried', [typed]]]),
  };
  const formFor = (medium: string | undefined, more?: Partial<Shown>) => {
    const renderer = pagesPlugin.renderers?.find(({ name }) => name === medium);
    return renderForm(form, { ...view, ...renderer?.view?.(view), ...more });
  };
  return [
    pageAnswer(422, 'error', formFor('page', { hasHeading: false }), answering).body,
    ...[undefined, 'page', 'script'].map((medium) => formFor(medium, { hasHeading: true }).html),
    answering.confirmationFragment({}),
    errorList([message]),
  ].join('\n');
}

/** Attributes with generated values: only their presence is compared. */
const derived = /^(id|for|aria-describedby|action|href|hx-)/;

/** A min-fill token, which signs the form's name. */
const signed = /^0\.0\.[\w-]{43}$/;

describeInBrowser('escaping', () => {
  test('texts of a form change no elements or attributes of the page, and are returned unchanged', async () => {
    const page = await openPage();
    /** Elements, attributes and texts, in order, as Chromium parses the markup. */
    const read = (markup: string) =>
      page.evaluate((text) => {
        const document = new DOMParser().parseFromString(text, 'text/html');
        const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
        const seen: string[][] = [];
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          if (node instanceof Element) {
            seen.push([node.tagName]);
            for (const { name, value } of node.attributes) seen.push([name, value]);
          } else seen.push([String(node.nodeType), node.textContent ?? '']);
        }
        return seen;
      }, markup);
    const harmless = Array.from({ length: places }, (_, index) => `Text${String.fromCharCode(65 + index)}!`);
    const expected = await read(everywhere(harmless));
    // Form names cannot consist of dots, which have a meaning in URLs. Final punctuation of a label is
    // omitted before a message.
    const text = hostile.filter((one) => !/[\s.:?。：？]$/.test(one));
    const texts = fc.uniqueArray(text, { minLength: places, maxLength: places });
    await holds(runs(13, 0.01), [texts], async (texts) => {
      const found = await read(everywhere(texts));
      const compared = (all: readonly string[][]) =>
        all.map(([name = '', value = '']) => [name, derived.test(name) || signed.test(value) ? '' : value]);
      const filledIn = compared(expected).map(([name, value = '']) => [
        name,
        value.replaceAll(/Text(.)!/g, (_, letter: string, at: number) => {
          const written = texts[letter.charCodeAt(0) - 65] ?? '';
          if (!value.startsWith('[[')) return written;
          // Conditions are in JSON, with compared values in canonical form.
          const isCompared = value.slice(0, at).endsWith('"is","');
          return JSON.stringify(isCompared ? canonicalText(written) : written).slice(1, -1);
        }),
      ]);
      expect(compared(found)).toEqual(filledIn);
    });
  });
});
