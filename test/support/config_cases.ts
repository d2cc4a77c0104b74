import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('../../packages/config/test/cases/', import.meta.url);
const divider = '----------\n';
const outputs = `    outputs:
      - {type: http_post, url: "https://example.com/hook", mapping: "*"}
`;

export interface ConfigCase {
  readonly name: string;
  readonly config: string;
  /** The problems as `relay config validate` reports them (problem_list.ts), or `ok` if the config loads. */
  readonly expected: string;
  rewrite(problems: string): void;
}

/**
 * The files in packages/config/test/cases: a config, a line of ten dashes, and its problems. Files in `of_a_form`
 * contain only the keys of a form, which become those of `contact`; without `outputs`, the form posts to example.com.
 */
export const configCases: readonly ConfigCase[] = ['', 'of_a_form/'].flatMap((within) =>
  readdirSync(new URL(within, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => {
      const file = new URL(within + name, folder);
      const [text = '', expected = ''] = readFileSync(file, 'utf8').split(divider);
      const config = within === '' ? text : ofForm(text);
      const rewrite = (problems: string) => writeFileSync(file, text + divider + problems);
      return { name, config, expected, rewrite };
    }),
);

function ofForm(keys: string): string {
  const isWhole = /^outputs:/m.test(keys);
  return `forms:\n  contact:\n${keys.replace(/^(?=.)/gm, '    ')}${isWhole ? '' : outputs}`;
}
