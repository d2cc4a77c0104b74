/** What problems advise, as the studio does it by click: tried with every config of test/config-cases. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { edit } from '../../packages/studio/edit/index.ts';
import { fixOf } from '../../packages/studio/src/fixes.ts';
import { parseConfig, warningsIn } from '../core/parse_config.ts';

const cases = new URL('../config-cases/', import.meta.url);

const problemsIn = (config: string) => {
  const result = parseConfig(config, 'webform.yaml');
  return result.ok ? warningsIn(result.value, config, 'webform.yaml') : result.error;
};

test('each takes its problem away', () => {
  const tried = new Set<string>();
  for (const name of readdirSync(cases)) {
    const [config = ''] = readFileSync(new URL(name, cases), 'utf8').split('----------\n');
    const problems = problemsIn(config);
    for (const problem of problems) {
      const { actions } = fixOf(problem) ?? {};
      const edited = actions && edit(config, actions);
      if (!edited?.ok) continue;
      const text = edited.changes.reduceRight(
        (before, { from, to, insert }) => before.slice(0, from) + insert + before.slice(to),
        config,
      );
      const same = ({ code, path }: { code: string; path: string }) => `${code} ${path}`;
      const left = problemsIn(text).map(same);
      expect([name, ...left], text).not.toContain(same(problem));
      tried.add(problem.code);
    }
  }
  expect(tried.size).toBeGreaterThan(20);
});
