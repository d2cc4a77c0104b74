import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodePage } from '../../packages/cli/src/read_page.ts';
import { showProblems } from '../../packages/cli/src/terminal.ts';
import { checkPage, type PageReport } from '../../packages/page/src/check/check_page.ts';
import { must } from '../support/must.ts';
import { parseConfig } from '../support/parse_config.ts';

/**
 * Each file of test/page-cases is a page, a line of ten dashes, and what `relay check` says of it, with the form and
 * the options that its first line names. They share a config, test/page-cases/webform.yaml.
 * `UPDATE=1 npx vitest run test/page_check/cases.test.ts` writes what it says now; read every changed line.
 */
const cases = new URL('../page-cases/', import.meta.url);
const divider = '----------\n';

const parsed = parseConfig(readFileSync(new URL('webform.yaml', cases), 'utf8'), 'webform.yaml');
if (!parsed.ok) throw new Error(showProblems(parsed.error));
const { forms } = parsed.value;

const names = readdirSync(cases).filter((name) => name.endsWith('.html'));
const read = (name: string) => readFileSync(new URL(name, cases), 'utf8').split(divider);

test.each(names)('%s', async (name) => {
  const [page = '', expected] = read(name);
  const said = shown(await check(page));
  if (process.env.UPDATE) writeFileSync(new URL(name, cases), page + divider + said);
  else expect(said).toBe(expected);
});

test('programs that read --json may rely on these codes', async () => {
  const reports = await Promise.all(names.map((name) => check(read(name)[0] ?? '')));
  const codes = new Set(reports.flatMap(({ problems }) => problems.map(({ code }) => code)));
  expect([...codes].sort()).toEqual([
    'action_missing',
    'address_elsewhere',
    'address_ends_with_slash',
    'address_form_unknown',
    'address_of_another_route',
    'address_of_another_server',
    'address_relative',
    'address_unencrypted',
    'address_without_route',
    'captcha_missing',
    'captcha_of_another_provider',
    'captcha_other_field',
    'captcha_other_key',
    'captcha_outside',
    'captcha_unverified',
    'captcha_without_key',
    'charset',
    'enctype',
    'enctype_missing',
    'field_disabled',
    'field_missing',
    'field_unknown',
    'files_not_taken',
    'form_missing',
    'form_not_seen',
    'form_sent_elsewhere',
    'form_without_htmx',
    'form_without_script',
    'honeypot_autocompleted',
    'honeypot_disabled',
    'honeypot_filled',
    'honeypot_missing',
    'honeypot_of_type_hidden',
    'honeypot_required',
    'honeypot_shown_by_styles',
    'hx_encoding',
    'hx_encoding_missing',
    'hx_ext_json',
    'label_without_control',
    'limit_too_wide',
    'loads_another_form',
    'method_get',
    'multiple_missing',
    'name_missing',
    'options_not_offered',
    'output_unreached',
    'page_not_said',
    'page_still_said',
    'puzzle_of_another_form',
    'puzzle_other_field',
    'puzzle_unsolved',
    'result_sent',
    'script_is_module',
    'scripts_removed',
    'several_choices',
    'token_fixed',
    'token_missing',
    'token_not_loaded',
    'token_not_replacing',
    'token_not_triggered',
    'token_of_another_form',
    'token_outside',
    'token_printed_earlier',
    'token_without_htmx',
    'token_without_script',
    'type_mismatch',
    'type_too_free',
    'value_refused',
  ]);
});

async function check(page: string): Promise<PageReport> {
  const [, form = '', baseUrl] = /--form "?(.+?)"?(?: --base-url (\S+))? -->/.exec(page) ?? [];
  const config = forms.get(form);
  if (!config) throw new Error(`there is no form "${form}"`);
  const { text, encoding } = must(decodePage(Buffer.from(page), undefined));
  return checkPage(text, 'page.html', {
    config,
    formIds: [...forms.keys()],
    url: undefined,
    baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl),
    encoding,
  });
}

function shown({ problems, isLoaded }: PageReport): string {
  const isOk = problems.every(({ severity }) => severity === 'warning');
  return [
    ...(problems.length > 0 ? [showProblems(problems)] : []),
    ...(isOk ? [isLoaded ? 'ok: loaded' : 'ok'] : []),
  ]
    .map((lines) => `${lines}\n`)
    .join('');
}
