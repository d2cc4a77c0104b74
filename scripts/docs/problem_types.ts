import { readFileSync } from 'node:fs';
import { problemType } from '../../packages/relay/src/pages/problem_answer.ts';

const pages = ['docs/htmx.md', 'docs/json.md', 'docs/problems.md'];

/** The pages that show answers with problem+json, with the `type` that this build of the relay gives. */
export const problemTypes = Object.fromEntries(
  pages.map((page) => [
    page,
    () =>
      readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8').replaceAll(
        /^\{"type":"[^"]*"(.*?"code":"(\w+)")/gm,
        (_, between: string, code: string) => `{"type":"${problemType(code)}"${between}`,
      ),
  ]),
);
