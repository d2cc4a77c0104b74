import { showProblems } from '@form-relay/yaml/problem';
import fc from 'fast-check';
import { holds } from '../../../../test/support/fuzz.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import { everyField } from '../../../core/test/html/every_field.ts';
import { checkPage } from '../../src/check/check_page.ts';

const parsed = parseConfig(`forms:${everyField.replace('$sink', 'http://127.0.0.1:9/')}`, 'webform.yaml');
const form = parsed.ok ? parsed.value.forms.get('every_field') : undefined;
if (!form) throw new Error('the config does not load');

const check = (page: string) =>
  checkPage(page, 'page.html', { config: form, formIds: [form.id], baseUrl: undefined, encoding: 'utf-8' });

/** Tags, attributes and text in any order, as no author would write them. */
const pieces = [
  ...'form,/form,div,/div,table,/table,tr,td,template,/template,noscript,/noscript,svg,/svg,select,/select,option'
    .split(',')
    .map((tag) => `<${tag}>`),
  '<form action="/api/v1/submit/every_field" method=post>',
  '<form id=a hx-post="/api/v1/submit/every_field" hx-vals="{">',
  '<base href="http://[">',
  '<button form=a formaction="%zz/api/v1/submit/%zz">',
  '<input name=email disabled>',
  '<input name=nickname value=x>',
  '<input name=_ts data-min-fill-ms=x hx-get="//[/api/v1/token/every_field">',
  '<input name=seats type=number max=x min="">',
  '<select name=country multiple><option value="\u202e\u001b[2J">',
  '<textarea name=message maxlength=1e999>',
  '<fieldset disabled><legend>',
  '<div class="g-recaptcha" id=form-every_field--company--slot>',
  '<!--',
  '-->',
  '<script>',
  '</script>',
  '\r\n',
  '\u0000',
  '😀',
  '\ud800',
];

test('any page gets findings at existing places, and nothing that moves a cursor', () =>
  holds(70, [fc.array(fc.constantFrom(...pieces), { maxLength: 25 })], async (parts) => {
    const page = parts.join('');
    const { problems } = await check(page);
    const lines = page.split('\n');
    for (const { line, column } of problems)
      expect(column - 1).toBeLessThanOrEqual(lines[line - 1]?.length ?? -1);
    expect(showProblems(problems).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }));

test('neither deep nor large pages take long', async () => {
  const field = '<input name="x"><select name="country"><option>gb</select>';
  const pages = [
    `<form action="/api/v1/submit/every_field">${'<div>'.repeat(5_000)}${field}`,
    `<form action="/api/v1/submit/every_field">${field.repeat(1_500)}`,
    '<form action="/search"><input name="q"></form>'.repeat(500),
    '<form action="/api/v1/submit/every_field"><input name="q" form="a"></form>'.repeat(300),
  ];
  for (const page of pages) expect((await check(page)).problems.length).toBeGreaterThan(0);
});
