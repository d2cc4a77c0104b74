import fc from 'fast-check';
import { complaints } from '../../../../test/support/editor.ts';
import { formHtml } from '../../../../test/support/form_html.ts';
import { holds, isFuzzing } from '../../../../test/support/fuzz.ts';
import { must } from '../../../../test/support/must.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import { formatProblem } from '../../../yaml/src/problem.ts';
import { checkPage } from '../../src/check/check_page.ts';
import { readPage } from '../../src/check/markup.ts';
import { controlsOf } from '../../src/check/page_form.ts';
import { readImport } from '../../src/imports/read_import.ts';
import { configText } from '../../src/moving_in/config_text.ts';
import type { MovedForm } from '../../src/moving_in/read_form.ts';

/** Text with every character that is special in markup, in YAML, in templates and in a terminal. */
const unit = fc.constantFrom(
  ...'aZ019_-. /%?#&+<>"\'`ä😀م[]{}()=*:;,|!@\\~^$',
  '{{',
  '}}',
  ': ',
  ' #',
  '\n',
  '\t',
  '\u0085',
  '\u200d',
  '\u202e',
  '\ufeff',
  '\uffff',
);
const words = fc.string({ unit, maxLength: 12 });
const word = fc.oneof(
  fc.constantFrom(
    ...['true', 'null', '~', 'no', '', ' ', '-', '1e3', '0x1', '2030-01-01', '- a', '? a', '|', '>'],
  ),
  words,
);

/** Names that have no special meaning elsewhere, and that browsers send unchanged. */
const name = fc
  .string({ unit: fc.constantFrom(...'aZ0-. /%?#&+<>"\'ä😀[]{}()=*:\\'), minLength: 1, maxLength: 6 })
  .filter((text) => !/^(hp|cc)$/i.test(text));
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 5 });

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const attribute = (key: string, value: fc.Arbitrary<string>) =>
  fc
    .option(value, { nil: undefined })
    .map((text) => (text === undefined ? '' : ` ${key}="${escaped(text)}"`));
const flag = (key: string) => fc.boolean().map((is) => (is ? ` ${key}` : ''));
const amount = fc.oneof(fc.integer({ min: -3, max: 20_000 }).map(String), word);

const attributes = fc
  .tuple(
    flag('required'),
    flag('disabled'),
    flag('multiple'),
    attribute('value', word),
    attribute('placeholder', word),
    attribute('autocomplete', word),
    attribute('min', amount),
    attribute('max', amount),
    attribute('step', amount),
    attribute('minlength', amount),
    attribute('maxlength', amount),
    attribute('rows', amount),
    attribute('pattern', fc.oneof(fc.constantFrom('[a-z]+', '(a', '[a&&b]', '\\p{L}'), word)),
    attribute('title', word),
    attribute('aria-label', word),
    attribute('class', fc.oneof(fc.constantFrom('form-control', 'a b'), word)),
  )
  .map((all) => all.join(''));

const types =
  'text search tel url email password date month week time datetime-local number range color hidden checkbox radio nosuch';
const option = fc
  .tuple(attribute('value', word), flag('selected'), flag('disabled'), word)
  .map(
    ([value, selected, disabled, text]) => `<option${value}${selected}${disabled}>${escaped(text)}</option>`,
  );

const control = (written: string): fc.Arbitrary<string> => {
  const called = ` name="${escaped(written)}"`;
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...types.split(' ')), attributes)
      .map(([type, rest]) => `<input type="${type}"${called}${rest}>`),
    fc.tuple(attributes, word).map(([rest, text]) => `<textarea${called}${rest}>${escaped(text)}</textarea>`),
    fc
      .tuple(attributes, fc.array(option, { maxLength: 4 }), fc.boolean())
      .map(([rest, options, isGrouped]) => {
        const inside = isGrouped ? `<optgroup label="g">${options.join('')}</optgroup>` : options.join('');
        return `<select${called}${rest}>${inside}</select>`;
      }),
  );
};

const labelled = (written: string) =>
  fc.tuple(control(written), word, fc.integer({ min: 0, max: 3 })).map(([markup, label, how]) => {
    const text = escaped(label);
    switch (how) {
      case 0:
        return `<label>${text} <b>*</b> ${markup}</label>`;
      case 1:
        return `<p>${text}${markup}</p>`;
      case 2:
        return `<fieldset><legend>${text}</legend>${markup}</fieldset>`;
      default:
        return markup;
    }
  });

const form = names.chain((all) =>
  fc.record({
    all: fc.constant(all),
    // More controls with the same names: boxes, radio buttons, twins.
    controls: fc
      .tuple(
        fc.tuple(...all.map(labelled)),
        fc.array(fc.constantFrom(...all).chain(labelled), { maxLength: 4 }),
      )
      .map(([once, again]) => [...once, ...again].join('\n')),
    decoy: fc.boolean(),
    file: fc.boolean(),
    tag: fc.tuple(attribute('id', word), attribute('name', word)).map((both) => both.join('')),
  }),
);

test('a form with any controls becomes a config that loads, and whose own form has the same names', () =>
  holds(10, [form], async ({ all, controls, decoy, file, tag }) => {
    const extra = `${decoy ? '<input name="_gotcha" style="display:none">' : ''}${file ? '<input type="file" name="cv">' : ''}`;
    const markup = `<form method="post" action="/old"${tag}>${controls}${extra}<button>Go</button></form>`;
    const [moved] = must(await readImport(markup, undefined)) as [MovedForm];
    const config = configText([moved], 'page.html', 'webform.schema.json');
    const parsed = parseConfig(config, 'webform.yaml');
    expect(parsed.ok ? [] : parsed.error.map(formatProblem), config).toEqual([]);
    // Editors read YAML with types and validate it against the schema.
    expect(complaints(config), config).toEqual([]);
    const own = parsed.ok ? parsed.value.forms.get(moved.id) : undefined;
    const names = [...new Set([...all, ...(file ? ['cv'] : [])])];
    expect([...(own?.fields ?? [])].map((field) => field.name)).toEqual(names);

    const page = await readPage(await formHtml(config, '--', moved.id));
    const [rendered] = [...page.forms.values()];
    const sent = controlsOf(rendered ?? []).filter(({ kind }) => kind !== 'submit');
    const expected = [...names, ...(decoy ? ['_gotcha'] : [])];
    expect([...new Set(sent.map((one) => one.name))].toSorted()).toEqual([...new Set(expected)].toSorted());
  }));

test('editors accept a pattern that YAML reads as a number', async () => {
  const moved = must(await readImport('<form><input name="a" pattern="1"></form>', undefined));
  expect(complaints(configText(moved, 'page.html', 'webform.schema.json'))).toEqual([]);
});

test.each([
  ['step=6', { max: '96', step: '6' }],
  ['min=101', { min: '101', max: '101' }],
  ['min=.1 max=.45 step=.1', { min: '0.1', max: '0.4', step: '0.1' }],
  ['max=.5 step=any', { max: '0.5', step: '0.01' }],
])('like a browser, a slider with %s ends at a value that it reaches', async (attributes, limits) => {
  const [moved] = must(await readImport(`<form><input type=range name=a ${attributes}></form>`, undefined));
  expect(JSON.parse(JSON.stringify(moved?.fields[0]?.keys))).toEqual({ type: 'range', name: 'a', ...limits });
});

test('when the page is sent to the relay, little is left to change in it', () =>
  holds(15, [form], async ({ controls, tag }) => {
    const markup = `<form method="post" action="/old"${tag}>${controls}</form>`;
    const [moved] = must(await readImport(markup, undefined)) as [MovedForm];
    const parsed = must(parseConfig(configText([moved], 'page.html', 's.json'), 'webform.yaml'));
    const config = parsed.forms.get(moved.id);
    if (!config) throw new Error('the form has another name');
    const page = markup.replace('/old', `/api/v1/submit/${encodeURIComponent(moved.id)}`);
    const { problems } = await checkPage(page, 'page.html', {
      config,
      formIds: [moved.id],
      baseUrl: undefined,
      encoding: 'utf-8',
    });
    const codes = problems.filter(({ severity }) => severity === 'error').map(({ code }) => code);
    // Values that browsers send and no field accepts: values that contradict their own control, and repeated
    // names.
    const expectedCodes = ['value_refused', 'several_choices'];
    expect(codes.filter((code) => !expectedCodes.includes(code))).toEqual([]);
  }));

/** Tags and attributes in any order, as no author would write them. */
const pieces = [
  ...'form,/form,div,/div,table,/table,tr,td,template,noscript,svg,select,/select,option,optgroup,label,/label,legend,fieldset'
    .split(',')
    .map((tag) => `<${tag}>`),
  '<form name="\u0000" netlify-honeypot="x" action="https://formspree.io/f/\u202e">',
  '<form action="https://a:b@example.com/?{{">',
  '<form action="mailto:@">',
  '<base href="http://[">',
  '<link rel=canonical href="https://example.com">',
  '<input name=x><input name="a\nb"><input type=checkbox name="a[]" value="">',
  '<input name=_ts><input name=_gotcha><input name=honeypot tabindex=-1 style="opacity:0">',
  '<input type=hidden name=_next value="//[">',
  '<input type=hidden name=_next value="javascript:alert(1)">',
  '<input type=hidden name=_subject value="{{ {{- }} \u0085 ">',
  '<input type=hidden name=_cc value=",a@b,">',
  '<button class="g-recaptcha" data-sitekey="\u0000" data-action=x>',
  '<div class="cf-turnstile" data-sitekey="{{" data-response-field-name="x">',
  '<a-b name="c">',
  '<h2>',
  '<!--',
  '\ud800',
];

test('any page becomes a config that loads, or a reason', () =>
  holds(70, [fc.array(fc.constantFrom(...pieces), { maxLength: 25 })], async (parts) => {
    const moved = await readImport(parts.join(''), '1');
    if (!moved.ok) return;
    const config = configText(moved.value, '\u001b[2J\n- a', 'webform.schema.json');
    const parsed = parseConfig(config, 'webform.yaml');
    expect(parsed.ok ? [] : parsed.error.map(formatProblem), config).toEqual([]);
    expect(config.replaceAll('\n', '')).not.toMatch(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
  }));

/**
 * Each page has 2,000 of something: a step that searches all of them for each one would take seconds. `npm
 * run fuzz` uses ten times as many.
 */
const many = (markup: (at: number) => string, length = isFuzzing ? 20_000 : 2_000) =>
  Array.from({ length }, (_, at) => markup(at)).join('');
test.each([
  [
    'inputs with labels',
    many((at) => `<p><label for="i${at}">L${at}</label><input id="i${at}" name="a${at}">`),
  ],
  ['choices of one name', many((at) => `<label><input type="radio" name="r" value="${at}">${at}</label>`)],
  ['inputs without a break', many((at) => `Text <input name="a${at}">`)],
  ['nested divs, with an input in each', many((at) => `<div class="help-text">x<input name="a${at}">`)],
  ['nested labels', many((at) => `<label>x<b><input name="a${at}">`)],
  ['nested fieldsets', many((at) => `<fieldset><legend>L</legend><input name="a${at}">`)],
  ['rows of a table', `<table>${many((at) => `<tr><td>L${at}<td><input name="a${at}">`)}`],
  ['lists', many((at) => `<select name="s${at}"><option value="">Choose<option>a</select>`)],
  ['options', `<select name="s">${many((at) => `<option value="${at}">o`)}</select>`],
  [
    'decoys, and scripts',
    many((at) => `<i class="honeypot"><input name="d${at}"></i><script>d${at}.value=1</script>`),
  ],
  [
    'hidden fields',
    many((at) => `<input type="hidden" name="_next" value="/${at}"><input type="hidden" name="id">`),
  ],
  ['mistakes', many((at) => `<input name="a${at}" pattern="(" type="number" min="x" max="y">`, 1_000)],
])('large pages do not take long: %s', async (_, markup) =>
  expect((await readImport(`<form><input name="first">${markup}</form>`, undefined)).ok).toBe(true),
);

test('20,000 nested elements can be read', async () => {
  const markup = `<form>${'<div>'.repeat(20_000)}<input name="a"></form>`;
  expect(must(await readImport(markup, undefined))[0]?.fields).toHaveLength(1);
});
