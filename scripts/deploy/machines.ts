/** Files for your own machine: install.sh, systemd, nginx, Prometheus and Grafana. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alongside, eventually, freePort, root, run, textOf } from '../machine.ts';
import type { Check } from './check.ts';

export const install: Check = {
  needs: ['shellcheck'],
  run: async () => {
    const script = 'deploy/install/install.sh';
    run('shellcheck', ['--shell=sh', script]);
    return `${script} is POSIX; npm run installs tries it in an empty Debian`;
  },
};

export const nginx: Check = {
  needs: ['nginx'],
  run: async (folder) => {
    const path = join(folder, 'nginx.conf');
    writeFileSync(
      path,
      `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; include ${root}deploy/nginx/form-relay.conf; }`,
    );
    run('nginx', ['-t', '-q', '-p', folder, '-c', path]);
    return 'nginx accepts the file; its tests run with the test suite';
  },
};

/** Out of 100: the remainder is network access, and what V8 needs. */
const mostExposure = 20;

export const systemd: Check = {
  needs: ['systemd-analyze', 'systemd-socket-activate'],
  run: async (folder) => {
    const units = ['form-relay.service', 'form-relay.socket'].map((name) => {
      const text = textOf(`deploy/systemd/${name}`);
      const path = join(folder, name);
      // Neither Node nor the relay has to be at the unit's paths.
      writeFileSync(path, text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
      return path;
    });
    const { stdout, stderr } = run('systemd-analyze', ['verify', ...units]);
    if (stdout + stderr !== '') throw new Error(stdout + stderr);
    const security = ['security', '--offline=yes', `--threshold=${mostExposure}`];
    const [, exposure = ''] =
      /exposure level for \S+: ([\d.]+)/.exec(run('systemd-analyze', [...security, `${units[0]}`]).stdout) ??
      [];
    await startBySocket();
    return `both units are valid, exposure ${exposure} of 10, and connections during the start are answered`;
  },
};

/** The first connection starts the service, and is answered. */
async function startBySocket(): Promise<void> {
  const port = await freePort();
  const relay = [process.execPath, join(root, 'dist/relay.cjs'), 'serve'];
  const env = { CONFIG_INLINE: 'forms: {}' };
  const passed = Object.keys(env).flatMap((name) => ['-E', name]);
  await alongside(
    'systemd-socket-activate',
    ['-l', `127.0.0.1:${port}`, ...passed, ...relay],
    env,
    async () => {
      const { status } = await eventually(() => fetch(`http://127.0.0.1:${port}/readyz`));
      if (status !== 200) throw new Error(`the relay answered ${status} on the socket passed by systemd`);
    },
  );
}

const rulesFile = 'deploy/prometheus/form-relay.rules.yml';
const testsFile = 'deploy/prometheus/form-relay.rules.test.yml';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Rules, tests that fire each alert, an example, and the dashboard. */
export const prometheus: Check = {
  needs: ['promtool'],
  run: async (work) => {
    run('promtool', ['check', 'rules', rulesFile]);
    run('promtool', ['test', 'rules', testsFile]);
    run('promtool', ['check', 'config', 'deploy/prometheus/prometheus.yml']);
    const [rules, tests] = [textOf(rulesFile), textOf(testsFile)];
    const untested = [...rules.matchAll(/alert: (\w+)/g)].filter(([, name = '']) => !tests.includes(name));
    if (untested.length > 0) throw new Error(`no test fires ${untested.map(([, name]) => name).join(', ')}`);
    const panels = expressions();
    const file = join(work, 'panels.yml');
    const group = { name: 'panels', rules: panels.map((expr, n) => ({ record: `panel:${n}`, expr })) };
    writeFileSync(file, JSON.stringify({ groups: [group] }));
    run('promtool', ['check', 'rules', file]);
    const metrics = new Set(`${rules} ${panels.join(' ')}`.match(/\bform_relay_\w+/g));
    // A test compares that page with the relay's metrics.
    const manual = textOf('docs/metric-list.md');
    const missing = [...metrics].filter((name) => !manual.includes(name.replace(/_(bucket|sum|count)$/, '')));
    if (missing.length > 0) throw new Error(`docs/metric-list.md has no ${missing.join(', ')}`);
    return `alerts, their tests, and ${panels.length} panels, of ${metrics.size} metrics that the manual has`;
  },
};

/** The dashboard's queries, with Grafana's variables filled in. */
function expressions(): readonly string[] {
  const { panels } = JSON.parse(textOf('deploy/grafana/form-relay.json')) as {
    readonly panels: readonly Panel[];
  };
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll(/\$(instance|form)/g, '.*')
        .replaceAll('$__rate_interval', '2m')
        .replaceAll('$__range', '5m'),
    ),
  );
}
