/** `npm start` and `npm run docs` show how long each step takes, and finally what to open. */
import { cpSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openTerminal } from '../../packages/cli/test/terminal.ts';

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url));
/** Runs a command in a terminal of its own. On systems other than Linux, `script` has different options. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');
const inTerminal = (line: string) => `script -qec '${line}' /dev/null`;

const products =
  'packages/element/built/style.ts apps/studio/built/browser.ts apps/inbox/built/index.html dist/relay.cjs dist/lambda/lambda.cjs dist/index.mjs dist/index.d.mts dist/metrics.mjs dist/element.mjs dist/client.mjs dist/client.d.mts dist/cloudflare.mjs dist/plugin.d.mts';

/** A checkout without dependencies, whose build takes a moment, and whose relay prints its arguments. */
async function checkout({ build = 'sleep 1.5 && node build.js' } = {}) {
  const terminal = await openTerminal({
    env: { TERM: 'xterm', npm_config_audit: 'false', npm_config_update_notifier: 'false' },
    files: {
      'package.json': JSON.stringify({
        name: 'checkout',
        version: '1.0.0',
        engines: { node: '>=20.19' },
        scripts: { build },
      }),
      'package-lock.json': JSON.stringify({
        name: 'checkout',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: { '': { name: 'checkout', version: '1.0.0' } },
      }),
      'build.js': `for (const path of '${products}'.split(' ')) {
        const file = path;
        require('node:fs').mkdirSync(require('node:path').dirname(file), { recursive: true });
        require('node:fs').writeFileSync(file, 'console.log("relay", ...process.argv.slice(2))');
      }`,
      'tsconfig.json': '{}',
      'tsdown.config.ts': '',
      'packages/core/src/index.ts': '',
      'apps/none': '',
      'docs/outputs/none': '',
      'scripts/none': '',
    },
  });
  for (const name of ['setup.mjs', 'start.cjs', 'progress.mjs'])
    cpSync(`${scripts}${name}`, `${terminal.cwd}/scripts/${name}`);
  return terminal;
}

test('without a terminal, plain lines say when a step starts and how long it took', async () => {
  const { run } = await checkout();
  const { stdout, stderr, code } = await run('node scripts/start.cjs');
  expect(stderr).toMatch(
    /^Installing dependencies …\nInstalling dependencies … \d+ s, done\nBuilding dist …\nBuilding dist … \d+ s, done\n$/,
  );
  expect(stdout).toBe('relay --config examples/studio/webform.yaml dev\n');
  expect(code).toBe(0);
});

describe.skipIf(!hasScript)('in a terminal', () => {
  test('each step is one line that counts the seconds', async () => {
    const { run } = await checkout();
    const { stdout, code } = await run(inTerminal('node scripts/start.cjs'));
    const [installed = '', built = '', ...rest] = stdout.split('\r\n');
    expect(installed).toMatch(/^(\rInstalling dependencies … \d+ s\x1b\[K)+, done$/);
    expect(built).toMatch(/^(\rBuilding dist … \d+ s\x1b\[K){3,}, done$/);
    expect(rest).toEqual(['relay --config examples/studio/webform.yaml dev', '']);
    expect(code).toBe(0);
  });
});
