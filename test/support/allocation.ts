/**
 * How many bytes the built relay allocates for a submission, on V8's heap and in buffers behind it.
 *
 * Its young generation is made so large that nothing is collected while a window of submissions is counted. What is in
 * use then grows by exactly what is allocated, on every Node, however busy the machine is. A window in which V8 collected
 * all the same does not count.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Until V8 has compiled what runs often. */
const warmUp = 4_000;

const windows = 9;

/** At 100 KB each, these fit into the young generation. */
const submissionsInWindow = 500;

const flags = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];
const probe = fileURLToPath(new URL('allocation_probe.cjs', import.meta.url));
const program = fileURLToPath(new URL('../../dist/relay.cjs', import.meta.url));

/** The median of all windows, in bytes. Each submission is sent when the one before is answered, on one connection. */
export async function allocatedPerSubmission(
  request: Buffer,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const relay = spawn(process.execPath, [...flags, '--require', probe, program, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  try {
    const [started] = await once(relay.stdout as Readable, 'data');
    const port = Number(/http:\/\/[\w.]+:(\d+)/.exec(started)?.[1]);
    await submit(port, request, warmUp);
    const counted: number[] = [];
    for (let window = 0; window < windows; window += 1) {
      await ask(relay, 'count');
      await submit(port, request, submissionsInWindow);
      const { bytes, collections } = await ask(relay, 'report');
      if (collections === 0) counted.push(bytes / submissionsInWindow);
    }
    if (counted.length <= windows / 2) throw new Error('V8 collected while it was counted');
    return Math.round(counted.toSorted((a, b) => a - b)[Math.floor(counted.length / 2)] ?? Number.NaN);
  } finally {
    relay.kill('SIGKILL');
  }
}

async function ask(relay: ChildProcess, what: 'count' | 'report') {
  const answered = once(relay, 'message');
  relay.send(what);
  const [answer] = await answered;
  return answer as { readonly bytes: number; readonly collections: number };
}

/** Anything but a 200 is an error: a refusal costs less than a submission. */
function submit(port: number, request: Buffer, submissions: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let left = submissions;
    let answer = '';
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (!answer.endsWith('}')) return;
      if (!answer.startsWith('HTTP/1.1 200 ')) {
        socket.destroy(new Error(answer));
        return;
      }
      answer = '';
      left -= 1;
      if (left === 0) socket.end();
      else socket.write(request);
    });
    socket.on('error', reject);
    socket.on('close', () => (left === 0 ? resolve() : reject(new Error('the connection was closed'))));
  });
}
