import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { inFolder, root, run } from './run.ts';

const folder = join(root, 'deploy/prometheus');
const rules = readFileSync(join(folder, 'form-relay.rules.yml'), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Rules, their tests, which fire each alert, an example, and the dashboard. */
export const prometheus: Check = {
  needs: ['promtool'],
  run: () =>
    inFolder((work) => {
      run('promtool', ['check', 'rules', join(folder, 'form-relay.rules.yml')]);
      run('promtool', ['test', 'rules', join(folder, 'form-relay.rules.test.yml')]);
      run('promtool', ['check', 'config', join(folder, 'prometheus.yml')]);
      const tests = readFileSync(join(folder, 'form-relay.rules.test.yml'), 'utf8');
      const untested = [...rules.matchAll(/alert: (\w+)/g)].filter(([, name = '']) => !tests.includes(name));
      if (untested.length > 0)
        throw new Error(`no test fires ${untested.map(([, name]) => name).join(', ')}`);
      const panels = expressions();
      const file = join(work, 'panels.yml');
      const group = { name: 'panels', rules: panels.map((expr, n) => ({ record: `panel:${n}`, expr })) };
      writeFileSync(file, JSON.stringify({ groups: [group] }));
      run('promtool', ['check', 'rules', file]);
      const metrics = new Set(`${rules} ${panels.join(' ')}`.match(/\bform_relay_\w+/g));
      // A test compares that page with what a relay has.
      const manual = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
      const missing = [...metrics].filter(
        (name) => !manual.includes(name.replace(/_(bucket|sum|count)$/, '')),
      );
      if (missing.length > 0) throw new Error(`docs/metrics.md has no ${missing.join(', ')}`);
      return `alerts, their tests, and ${panels.length} panels, of ${metrics.size} metrics that the manual has`;
    }),
};

/** The queries of the dashboard, with what Grafana would put in. */
function expressions(): readonly string[] {
  const text = readFileSync(join(root, 'deploy/grafana/form-relay.json'), 'utf8');
  const { panels } = JSON.parse(text) as { readonly panels: readonly Panel[] };
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll(/\$(instance|form)/g, '.*')
        .replaceAll('$__rate_interval', '2m')
        .replaceAll('$__range', '5m'),
    ),
  );
}
