/** Measures how much of a bare server's throughput remains when it does what the relay does (README.md). */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textWith } from '../../scripts/data.ts';
import { freePort, tempFolder } from '../../scripts/machine.ts';
import { compare, server } from './compare.ts';
import { startSink } from './load.ts';
import { spawnCommand, spawnNode } from './process.ts';
import { environment, formWith } from './submission.ts';

const folder = tempFolder('bench');
const sink = await startSink();

/** A form with this many outputs. */
const form = (outputs: number) =>
  formWith(...Array(outputs).fill({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' }));

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
      writeFileSync(
        file,
        textWith(new URL('nginx.conf', import.meta.url), {
          FOLDER: folder,
          PORT: port,
          SINK: new URL(sink.origin).host,
        }),
      );
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
  // Another build of the relay, to measure the cost of a change.
  ...(BEFORE ? [await many.relay('before', 1, BEFORE)] : []),
  await many.byHand(),
  // As installed on a typical web server.
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
