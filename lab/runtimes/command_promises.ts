/** Promises of an artifact's commands. Run after the others, in the same place, because they add files. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { signIn } from '../../apps/studio/test/studio/sign_in.ts';
import { eventually } from '../../scripts/machine.ts';
import type { Artifact } from './artifacts.ts';
import { startProgram } from './mounts.ts';
import type { Place } from './place.ts';

type Run = NonNullable<Artifact['command']>;
type Holds = (command: Run, place: Place) => Promise<void>;

const config = ({ config }: Place) => ({
  CONFIG_FILE: `${config.inside}/webform.yaml`,
  RELAY_CONFIG: `${config.inside}/webform.yaml`,
  MAIL_FROM_ADDRESS: 'forms@example.com',
  HOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  KEEP_SECRET: 'another secret of thirty-two chars',
});

const prints =
  (said: RegExp, words: (place: Place) => string): Holds =>
  async (command, place) => {
    const { program, args, ...options } = command(config(place), words(place).split(' '));
    const { stdout } = await promisify(execFile)(program, args, options);
    assert.match(stdout, said);
  };

/** Commands in docs/command-line.md. Words in capitals are placeholders. */
const manual = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');
const commands = [...manual.matchAll(/^- `relay ([a-z -]+?)(?: [A-Z].*)?`:/gm)].map(([, name = '']) => name);

/** Acts on the address that a command prints. */
async function during(
  command: Run,
  place: Place,
  words: readonly string[],
  work: (line: string) => Promise<void>,
) {
  const { program, args, ...options } = command(config(place), [...words, '--port', '0']);
  const served = await startProgram(program, args, options);
  try {
    await work(served.line);
  } finally {
    await served.stop();
  }
}

export const commandPromises: Readonly<Record<string, Holds>> = {
  'relay --version': prints(/^\d+\.\d+\.\d+$/m, () => '--version'),
  'relay config validate': prints(
    /^(ok|the config loads, but (1 output still has|[2-9] outputs still have) an example value)/m,
    () => 'config validate',
  ),
  'relay form html': prints(/>Надіслати</, () => 'form html ukrainian'),
  'relay explain': prints(/Ann/, () => 'explain contact name=Ann'),
  'relay config schema': prints(/"\$schema"/, () => 'config schema'),
  'relay archive list': prints(/files/, ({ state }) => `archive list --from ${state.inside}`),
  'relay kept list': prints(/failed/, ({ state }) => `kept list --in ${state.inside}`),
  'relay check': prints(/^ok$/m, ({ config }) => `check --form contact ${config.inside}/page.html`),
  'each command that the manual lists': async (command, place) => {
    assert.ok(commands.length > 30, 'docs/command-line.md lists no commands');
    // Sequentially, because buildah mounts a container for each.
    for (const name of commands) await prints(/^Usage: relay/m, () => `${name} --help`)(command, place);
  },
  'relay mcp reads the manual': async (command, place) => {
    const { program, args, env } = command(config(place), ['mcp']);
    const client = new Client({ name: 'check', version: '1' });
    const transport = { command: program, args: [...args], env: env as Record<string, string> };
    await client.connect(new StdioClientTransport({ ...transport, stderr: 'ignore' }));
    for (const page of ['spam.md', 'outputs/slack.md', 'deploy/systemd.md']) {
      const { isError } = await client.callTool({ name: 'read_manual', arguments: { page } });
      assert.notEqual(isError, true, page);
    }
    await client.close();
  },
  'relay dev shows the studio': (command, place) =>
    during(command, place, ['dev'], async (line) => {
      const { ask } = await signIn(line);
      const page = await (await ask('/')).text();
      const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path = '']) => path);
      assert.notDeepEqual(files, []);
      for (const path of files) assert.equal((await ask(path)).status, 200, path);
    }),
  // The inbox's index is a thread with SQLite.
  'relay inbox shows what came': (command, place) =>
    during(command, place, ['inbox', '--index', `${place.state.inside}/index`], async (line) => {
      const { ask } = await signIn(line);
      await eventually(async () => /Ann/.test(await (await ask('/api/entries')).text()), 30_000);
    }),
};
