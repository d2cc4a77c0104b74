/** The studio applies a problem's advice with one click: tried with all of packages/config/test/cases. */
import { err } from '../../../../packages/base/src/result.ts';
import { inspectConfig } from '../../../../packages/runtimes/src/inspect.ts';
import { configCases } from '../../../../test/support/config_cases.ts';
import { applied, edit } from '../../edit/edit.ts';
import { fixOf } from '../../src/state_of.ts';

const source = { name: 'webform.yaml', readSibling: async () => err('no file is beside it') };
const problemsIn = async (config: string) => {
  const result = await inspectConfig(config, source);
  return result.ok ? result.value.warnings() : result.error;
};

test('each fix removes its problem', async () => {
  const tried = new Set<string>();
  for (const { name, config } of configCases) {
    const problems = await problemsIn(config);
    for (const problem of problems) {
      const { actions } = fixOf(problem) ?? {};
      const edited = actions && edit(config, actions);
      if (!edited?.ok) continue;
      const text = applied(config, edited.changes);
      const same = ({ path, message }: { path: string; message: string }) => `${path}: ${message}`;
      const left = (await problemsIn(text)).map(same);
      expect([name, ...left], text).not.toContain(same(problem));
      tried.add(problem.message.replaceAll(/"[^"]*"/g, ''));
    }
  }
  expect(tried.size).toBeGreaterThan(20);
});
