import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import type { Check } from './check.ts';
import { beside, eventually, inFolder, root } from './run.ts';
import { freePort } from './systemd.ts';

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>;
}

/** Runs what deploy/compose/compose.yaml has in containers, with its own variables, config and Caddyfile. */
export const firstForm: Check = {
  needs: ['caddy'],
  run: () =>
    inFolder(async (folder) => {
      const { services } = load(readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8')) as Compose;
      const [httpPort, port, relayPort] = [await freePort(), await freePort(), await freePort()];
      const submissions = join(folder, 'submissions');
      mkdirSync(submissions);
      const config = join(folder, 'webform.yaml');
      const form = readFileSync(join(root, 'deploy/compose/config/webform.yaml'), 'utf8');
      writeFileSync(config, form.replace('/var/lib/form-relay', submissions));
      const caddyfile = join(folder, 'Caddyfile');
      writeFileSync(
        caddyfile,
        readFileSync(join(root, 'deploy/caddy/Caddyfile'), 'utf8').replace(
          /^\{$/m,
          `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${httpPort}\n\thttps_port ${port}`,
        ),
      );
      const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      const caddy = { ...home, ...filledIn(services.caddy?.environment), RELAY: `127.0.0.1:${relayPort}` };
      const relay = {
        ...filledIn(services['form-relay']?.environment),
        CONFIG_FILE: config,
        TRUSTED_PROXIES: '127.0.0.1',
        HOST: '127.0.0.1',
        PORT: `${relayPort}`,
      };
      await beside(process.execPath, ['dist/relay.cjs', 'serve'], relay, () =>
        beside('caddy', ['run', '--adapter', 'caddyfile', '--config', caddyfile], caddy, async () => {
          const page = await eventually(() => ask(port, '/api/v1/form/contact?as=page'));
          const [, token = ''] = /name="_ts" value="([^"]+)"/.exec(page) ?? [];
          if (!page.includes('Your message') || token === '') throw new Error(`the form is\n${page}`);
          await new Promise((resolve) => setTimeout(resolve, 3_100));
          const values = { name: 'Ada', email: 'ada@example.org', message: 'Hello', _ts: token };
          const answer = await ask(port, '/api/v1/submit/contact', new URLSearchParams(values).toString());
          if (!/"ok"/.test(answer)) throw new Error(`the submission got ${answer}`);
          const files = readdirSync(submissions, { recursive: true, encoding: 'utf8' });
          if (!files.some((file) => file.endsWith('.json'))) throw new Error(`stored: ${files.join(', ')}`);
        }),
      );
      return 'deploy/compose shows its first form through Caddy with TLS, and stores what is sent';
    }),
};

/** As Compose fills variables in where nothing sets them. */
const filledIn = (environment: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, _name, kind, rest) =>
        kind === '-' ? rest : randomBytes(32).toString('hex'),
      ),
    ]),
  );

const ask = (port: number, path: string, body?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const method = body === undefined ? 'GET' : 'POST';
    const host = '127.0.0.1';
    request(
      {
        host,
        port,
        path,
        method,
        headers: { host: 'localhost', ...headers },
        servername: 'localhost',
        rejectUnauthorized: false,
      },
      (answer) => resolve(text(answer)),
    )
      .on('error', reject)
      .end(body);
  });
