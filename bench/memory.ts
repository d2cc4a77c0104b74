/**
 * Peak memory of the relay under full load for a minute, as `npm start` and the container run it:
 * `npx tsx bench/memory.ts [node ...]`.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { load, startSink } from './load.ts';
import { peakRssMb, pinThisProcess, spawnCommand } from './process.ts';

const seconds = 60;

const isPinned = pinThisProcess();
const sink = await startSink();
const body = new URLSearchParams({
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  message: 'x'.repeat(200),
});
const request = Buffer.from(
  'POST /api/v1/submit/contact HTTP/1.1\r\nhost: localhost\r\n' +
    `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${String(body).length}\r\n\r\n${body}`,
);
const nodes = process.argv.slice(2);
for (const node of nodes.length > 0 ? nodes : [process.execPath]) {
  const relay = spawnCommand(
    [node, '--max-semi-space-size=2', 'dist/relay.cjs', 'serve'],
    {
      HOST: '127.0.0.1',
      PORT: '0',
      THROTTLE_RATE_LIMIT: '1000000000',
      THROTTLE_BURST_LIMIT: '1000000000',
      CONFIG_INLINE: `
forms:
  contact:
    fields: [{name: name, required: true}, {name: email, type: email, required: true}, {name: message}]
    outputs: [{type: http_post, url: "${sink.origin}/hook", mapping: "*"}]
`,
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
