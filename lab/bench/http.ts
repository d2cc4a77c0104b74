/** How much of a bare server's throughput is left when it does all that the relay does (README.md). */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../../scripts/temp_folder.ts';
import { freePort } from '../chaos/listener.ts';
import { compare, server } from './compare.ts';
import { startSink } from './load.ts';
import { spawnCommand, spawnNode } from './process.ts';
import { environment, formWith } from './submission.ts';

const folder = tempFolder('bench');
const sink = await startSink();

/** A form with so many outputs. */
const form = (outputs: number) =>
  formWith(...Array(outputs).fill({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' }));

/** A process that hands the request to the sink and its answer back. */
const nginxConfig = (port: number) => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  keepalive_requests 100000000;
  upstream sink { server ${new URL(sink.origin).host}; keepalive 64; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://sink; proxy_http_version 1.1; proxy_set_header Connection ''; }
  }
}
`;

const contest = (connections: number, outputs = 1) => {
  const round = { sink, connections, outputs, seconds: 1 };
  return {
    floor: () => server('floor', spawnNode(['lab/bench/floor.cjs', sink.origin, String(outputs)], {}), round),
    relay: (name = 'relay', forms = 1, build = 'dist') => {
      const file = join(folder, `${forms}-${outputs}.yaml`);
      const names = ['contact', ...Array.from({ length: forms - 1 }, (_, n) => `form_${n}`)];
      writeFileSync(file, `forms:\n${names.map((id) => `  ${id}:${form(outputs)}`).join('')}`);
      const env = { ...environment, CONFIG_FILE: file, CACHE_TTL: '1h' };
      return server(name, spawnNode([`${build}/relay.cjs`, 'serve'], env), round);
    },
    nginx: async () => {
      const port = await freePort();
      const file = join(folder, 'nginx.conf');
      writeFileSync(file, nginxConfig(port));
      const start = `(sleep 1; echo http://127.0.0.1:${port}) & exec nginx -c ${file}`;
      return server('nginx, passing it on', spawnCommand(['sh', '-c', start], {}), round);
    },
    byHand: () => {
      const words = ['lab/bench/by_hand.mjs', 'http', sink.origin];
      return server('by hand: Fastify and undici', spawnNode(words, {}), round);
    },
  };
};

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
const { BEFORE } = process.env;
const many = contest(32);
await compare('A single http_post output, 32 connections', [
  await many.floor(),
  await many.relay(),
  // Another build of the relay, to see what a change costs.
  ...(BEFORE ? [await many.relay('before', 1, BEFORE)] : []),
  await many.byHand(),
  // As on a site's server, where it is installed.
  ...(hasNginx ? [await many.nginx()] : []),
]);
const single = contest(1);
await compare('The same, 1 connection', [await single.floor(), await single.relay()]);
const three = contest(32, 3);
await compare('Three http_post outputs', [await three.floor(), await three.relay()]);
await compare('A config of 10,000 forms beside one of 10', [
  await many.relay('10 forms', 10),
  await many.relay('10,000 forms', 10_000),
]);
sink.close();
