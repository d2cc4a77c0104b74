import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import { listen } from '../../test/support/listen.ts';
import { alongside, eventually, freePort, run, textOf } from '../machine.ts';
import type { Check } from './check.ts';

const file = 'deploy/caddy/Caddyfile';

export const caddy: Check = {
  needs: ['caddy'],
  run: async (folder) => {
    const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], home);
    if (run('caddy', ['fmt', file], home).stdout !== textOf(file))
      throw new Error(`caddy fmt --overwrite ${file} changes it`);
    await seeHeaders(folder, home);
    await firstForm(folder, home);
    return 'the Caddyfile is valid and reports clients to the relay, and deploy/compose stores a submission of its first form';
  },
};

type Ask = (path: string, body?: string) => Promise<string>;

/** Runs the file with Caddy's own certificate authority. */
async function behindCaddy(folder: string, env: NodeJS.ProcessEnv, work: (ask: Ask) => Promise<void>) {
  const [httpPort, port] = [await freePort(), await freePort()];
  const path = join(folder, 'Caddyfile');
  const local = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${httpPort}\n\thttps_port ${port}`;
  writeFileSync(path, textOf(file).replace(/^\{$/m, local));
  const ask: Ask = (path, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        host: 'localhost',
        'x-forwarded-for': '203.0.113.9',
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      };
      const method = body === undefined ? 'GET' : 'POST';
      const tls = { servername: 'localhost', rejectUnauthorized: false };
      request({ host: '127.0.0.1', port, path, method, headers, ...tls }, (answer) => resolve(text(answer)))
        .on('error', reject)
        .end(body);
    });
  const words = ['run', '--adapter', 'caddyfile', '--config', path];
  await alongside('caddy', words, { DOMAIN: 'localhost', ...env }, () => work(ask));
}

/** Runs it in front of a server that echoes its headers. */
async function seeHeaders(folder: string, home: NodeJS.ProcessEnv): Promise<void> {
  const server = createServer(({ headers }, answer) => answer.end(JSON.stringify(headers)));
  const env = { ...home, RELAY: `127.0.0.1:${await listen(server)}` };
  try {
    await behindCaddy(folder, env, async (ask) => {
      const echoed = JSON.parse(await eventually(() => ask('/')));
      const expected = { host: 'localhost', 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
      for (const [name, value] of Object.entries(expected))
        if (echoed[name] !== value)
          throw new Error(`Caddy sends the relay ${name}: ${echoed[name]}, not ${value}`);
    });
  } finally {
    server.close();
  }
}

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>;
}

/** Runs the programs of deploy/compose/compose.yaml's containers, with its variables and config. */
async function firstForm(folder: string, home: NodeJS.ProcessEnv): Promise<void> {
  const { services } = load(textOf('deploy/compose/compose.yaml')) as Compose;
  const relayPort = await freePort();
  const submissions = join(folder, 'submissions');
  mkdirSync(submissions);
  const config = join(folder, 'webform.yaml');
  writeFileSync(
    config,
    textOf('deploy/compose/config/webform.yaml').replace('/var/lib/form-relay', submissions),
  );
  const caddy = { ...home, ...filledIn(services.caddy?.environment), RELAY: `127.0.0.1:${relayPort}` };
  const relay = {
    ...filledIn(services['form-relay']?.environment),
    CONFIG_FILE: config,
    TRUSTED_PROXIES: '127.0.0.1',
    HOST: '127.0.0.1',
    PORT: `${relayPort}`,
  };
  await alongside(process.execPath, ['dist/relay.cjs', 'serve'], relay, () =>
    behindCaddy(folder, caddy, async (ask) => {
      const page = await eventually(() => ask('/api/v1/form/contact?as=page'));
      const [, token = ''] = /name="_ts" value="([^"]+)"/.exec(page) ?? [];
      if (!page.includes('Your message') || token === '') throw new Error(`the form is\n${page}`);
      await new Promise((resolve) => setTimeout(resolve, 3_100));
      const values = { name: 'Ada', email: 'ada@example.org', message: 'Hello', _ts: token };
      const answer = await ask('/api/v1/submit/contact', new URLSearchParams(values).toString());
      if (!/"ok"/.test(answer)) throw new Error(`the submission got ${answer}`);
      const files = readdirSync(submissions, { recursive: true, encoding: 'utf8' });
      if (!files.some((file) => file.endsWith('.json'))) throw new Error(`stored: ${files.join(', ')}`);
    }),
  );
}

/** Fills in defaults of variables as Compose does. */
const filledIn = (environment: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, _name, kind, rest) =>
        kind === '-' ? rest : randomBytes(32).toString('hex'),
      ),
    ]),
  );
