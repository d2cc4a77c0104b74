import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Check } from './check.ts';
import { beside, eventually, inFolder, root, run } from './run.ts';
import { freePort } from './systemd.ts';

const file = 'deploy/caddy/Caddyfile';
const domain = 'forms.example.com';

export const caddy: Check = {
  needs: ['caddy'],
  run: () =>
    inFolder(async (folder) => {
      const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], home);
      const text = readFileSync(join(root, file), 'utf8');
      if (run('caddy', ['fmt', file], home).stdout !== text)
        throw new Error(`caddy fmt --overwrite ${file} changes it`);
      await seeHeaders(text, folder, home);
      return 'the Caddyfile is valid, and tells a relay who asks, whatever the sender says';
    }),
};

/** Runs the file with Caddy's own authority in front of a server that shows what it was told. */
async function seeHeaders(text: string, folder: string, home: NodeJS.ProcessEnv): Promise<void> {
  const server = createServer(({ headers }, answer) => answer.end(JSON.stringify(headers)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = await freePort();
  const path = join(folder, 'Caddyfile');
  writeFileSync(
    path,
    text
      .replace(/^\{$/m, `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects`)
      .replace('{$DOMAIN:forms.example.com} {', `https://${domain}:${port} {\n\ttls internal`),
  );
  const env = { ...home, RELAY: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  try {
    await beside('caddy', ['run', '--adapter', 'caddyfile', '--config', path], env, async () => {
      const told = await eventually(() => ask(port));
      const expected = {
        host: `${domain}:${port}`,
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '127.0.0.1',
      };
      for (const [name, value] of Object.entries(expected)) {
        if (told[name] !== value)
          throw new Error(`Caddy tells the relay ${name}: ${told[name]}, and not ${value}`);
      }
    });
  } finally {
    server.close();
  }
}

const ask = (port: number): Promise<IncomingHttpHeaders> =>
  new Promise((resolve, reject) => {
    const headers = { host: `${domain}:${port}`, 'x-forwarded-for': '203.0.113.9' };
    request({ host: '127.0.0.1', port, servername: domain, headers, rejectUnauthorized: false }, (answer) =>
      resolve(json(answer) as Promise<IncomingHttpHeaders>),
    )
      .on('error', reject)
      .end();
  });
