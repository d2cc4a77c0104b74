import { get } from 'node:http';
import { CommandFailed } from './command_failed.ts';
import { settingsOf } from './make_relay.ts';

/** An engine kills a check that takes longer anyway. */
const timeoutMs = 5_000;

/** Asks `/healthz` of the relay that listens here. Throws a `CommandFailed` unless it answers 200. */
export async function askHealth(): Promise<void> {
  const { host, port } = settingsOf(process.env);
  // An address that stands for all addresses is none to ask.
  const asked = /^(0\.0\.0\.0|::)?$/.test(host) ? '127.0.0.1' : host;
  const found = await new Promise<string>((resolve) => {
    const request = get(
      { host: asked, port, path: '/healthz', timeout: timeoutMs, agent: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200 ? 'ok' : `/healthz answers ${answer.statusCode}`);
      },
    );
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)));
    request.on('error', ({ message }) => resolve(message));
  });
  if (found !== 'ok') throw new CommandFailed(`the relay on ${asked}:${port} is not healthy: ${found}`);
  process.stdout.write('ok\n');
}
