import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { showProblems } from '@form-relay/yaml/problem';
import { must } from '../../../../test/support/must.ts';
import { parseConfig } from '../../../../test/support/parse_config.ts';
import { listProblems } from '../../../../test/support/problem_list.ts';
import { checkPage, decodePage, type PageReport } from '../../src/check/check_page.ts';

/**
 * Each file of packages/page/test/cases is a page, a line of ten dashes, and the problems that `relay check`
 * prints (test/support/problem_list.ts) for the form `contact`, unless the first line names another form or
 * options. All cases share a config, packages/page/test/cases/webform.yaml. `UPDATE=1 npx vitest run
 * packages/page/test/check/cases.test.ts` writes what `relay check` prints now. Read every changed line.
 */
const cases = new URL('../cases/', import.meta.url);
const divider = '----------\n';

const parsed = parseConfig(readFileSync(new URL('webform.yaml', cases), 'utf8'), 'webform.yaml');
if (!parsed.ok) throw new Error(showProblems(parsed.error));
const { forms } = parsed.value;

const names = readdirSync(cases).filter((name) => name.endsWith('.html'));
const read = (name: string) => readFileSync(new URL(name, cases), 'utf8').split(divider);

test.each(names)('%s', async (name) => {
  const [page = '', expected] = read(name);
  const said = shown(await check(page), page);
  if (process.env.UPDATE) writeFileSync(new URL(name, cases), page + divider + said);
  else expect(said).toBe(expected);
});

async function check(page: string): Promise<PageReport> {
  const [, form = 'contact', baseUrl] = /--form "?(.+?)"?(?: --base-url (\S+))? -->/.exec(page) ?? [];
  const config = forms.get(form);
  if (!config) throw new Error(`there is no form "${form}"`);
  const { text, encoding } = must(decodePage(Buffer.from(page)));
  return checkPage(text, 'page.html', {
    config,
    formIds: [...forms.keys()],
    baseUrl: baseUrl === undefined ? undefined : new URL(baseUrl),
    encoding,
  });
}

function shown({ problems, isLoaded }: PageReport, page: string): string {
  const isOk = problems.every(({ severity }) => severity === 'warning');
  return listProblems(problems, page) + (isOk ? (isLoaded ? 'ok: loaded\n' : 'ok\n') : '');
}
