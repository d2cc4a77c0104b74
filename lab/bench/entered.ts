/**
 * Counts the files and functions of the relay that a warm submission enters, with one form and one
 * `http_post`. `--list` names them.
 */
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { connect } from 'node:net';
import { createRelay } from '../../packages/runtimes/src/node/relay.ts';
import { createNodeServer } from '../../packages/runtimes/src/node/server.ts';
import { startSink } from './load.ts';
import { formWith, request } from './submission.ts';

const sink = await startSink();
const config = `forms:\n  contact:${formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' })}`;
const relay = createRelay({ env: { CONFIG_INLINE: config, CACHE_TTL: '1h' } });
const server = createNodeServer(relay.handle).listen(0, '127.0.0.1');
await once(server, 'listening');
const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
const submit = async () => {
  socket.write(request);
  const [answer] = await once(socket, 'data');
  if (!`${answer}`.startsWith('HTTP/1.1 200 ')) throw new Error(`${answer}`);
  await new Promise((resolve) => setTimeout(resolve, 100));
};
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (let warm = 0; warm < 3; warm += 1) await submit();
await session.post('Profiler.takePreciseCoverage');
await submit();
const { result } = await session.post('Profiler.takePreciseCoverage');
const entered = result
  .filter(({ url }) => /^file:.*\/packages\//.test(url))
  .map(({ url, functions }) => ({
    file: url.replace(/^.*\/packages\//, ''),
    functions: functions.flatMap(({ functionName, ranges }) => {
      const [first] = ranges;
      // Skips the module loader's wrapper.
      if (functionName === '__name' || functionName.startsWith('<')) return [];
      return first && first.count > 0 ? [`${functionName || '(anonymous)'} ×${first.count}`] : [];
    }),
  }))
  .filter(({ functions }) => functions.length > 0)
  .sort((a, b) => (a.file < b.file ? -1 : 1));
if (process.argv.includes('--list'))
  for (const { file, functions } of entered) console.log(`${file}: ${functions.join(', ')}`);
const functions = entered.reduce((n, one) => n + one.functions.length, 0);
console.log(`${entered.length} files, ${functions} functions`);
process.exit();
