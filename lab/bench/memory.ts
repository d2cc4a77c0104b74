/**
 * Peak memory of the relay under full load for a minute, as `npm start` and the container run it:
 * `npx tsx lab/bench/memory.ts [node ...]`.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { load, startSink } from './load.ts';
import { peakRssMb, pinThisProcess, spawnCommand } from './process.ts';
import { environment, formWith, request } from './submission.ts';

const seconds = 60;

const isPinned = pinThisProcess();
const sink = await startSink();
const nodes = process.argv.slice(2);
for (const node of nodes.length > 0 ? nodes : [process.execPath]) {
  const relay = spawnCommand(
    [node, '--max-semi-space-size=8', '--no-maglev', 'dist/relay.cjs', 'serve'],
    {
      ...environment,
      CONFIG_INLINE: `forms:\n  contact:${formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' })}`,
    },
    isPinned,
  );
  const [line] = await once(createInterface({ input: relay.stdout }), 'line');
  const origin: string = line.match(/http:\/\/[\w.]+:\d+/)[0];
  const { answers, failures } = await load(origin, request, { connections: 32, seconds });
  console.log(`${node}: ${answers} submissions, ${failures} failures, peak RSS ${peakRssMb(relay)} MB`);
  relay.kill();
}
sink.close();
