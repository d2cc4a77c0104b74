import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/parse.ts';
import { decodePage } from '../../src/tools/cli/read_page.ts';
import { showProblems } from '../../src/tools/cli/terminal.ts';
import { checkPage } from '../../src/tools/page_check/check_page.ts';

/**
 * Each file of test/page-cases is a page, a line of ten dashes, and what `relay check` says of it, with the form and
 * the options that its first line names. They share a config, test/page-cases/webform.yaml.
 * `UPDATE=1 npx vitest run test/page_check/cases.test.ts` writes what it says now; read every changed line.
 */
const cases = new URL('../page-cases/', import.meta.url);
const divider = '----------\n';

const parsed = parseConfig(readFileSync(new URL('webform.yaml', cases), 'utf8'), 'webform.yaml');
if (!parsed.ok) throw new Error(showProblems(parsed.problems));
const { forms } = parsed.config;

test.each(readdirSync(cases).filter((name) => name.endsWith('.html')))('%s', async (name) => {
  const file = new URL(name, cases);
  const [page = '', expected] = readFileSync(file, 'utf8').split(divider);
  const said = await check(page);
  if (process.env.UPDATE) writeFileSync(file, page + divider + said);
  else expect(said).toBe(expected);
});

async function check(page: string): Promise<string> {
  const [, form = '', baseUrl] = /--form "?(.+?)"?(?: --base-url (\S+))? -->/.exec(page) ?? [];
  const config = forms.get(form);
  if (!config) throw new Error(`there is no form "${form}"`);
  const { text, encoding } = decodePage(Buffer.from(page), undefined);
  const { problems, isLoaded } = await checkPage(text, 'page.html', {
    config,
    formIds: [...forms.keys()],
    url: undefined,
    baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl),
    encoding,
  });
  const isOk = problems.every(({ severity }) => severity === 'warning');
  return [
    ...(problems.length > 0 ? [showProblems(problems)] : []),
    ...(isOk ? [isLoaded ? 'ok: loaded' : 'ok'] : []),
  ]
    .map((lines) => `${lines}\n`)
    .join('');
}
