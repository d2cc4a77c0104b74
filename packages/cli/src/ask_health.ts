import { get } from 'node:http';
import { CommandFailed } from './command_failed.ts';
import { settingsOf } from './make_relay.ts';

/** An engine kills a check that takes longer anyway. */
const timeoutMs = 5_000;

/** Asks `/healthz` or `/readyz` of the relay that listens here. Throws a `CommandFailed` unless it answers 200. */
export async function askHealth({ ready = false }: { readonly ready?: boolean }): Promise<void> {
  const path = ready ? '/readyz' : '/healthz';
  const { host, port } = settingsOf(process.env);
  // An address that stands for all addresses is none to ask.
  const asked = /^(0\.0\.0\.0|::)?$/.test(host) ? '127.0.0.1' : host;
  const found = await new Promise<string>((resolve) => {
    const request = get({ host: asked, port, path, timeout: timeoutMs, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? 'ok' : `${path} answers ${answer.statusCode}`);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)));
    request.on('error', ({ message }) => resolve(message));
  });
  if (found !== 'ok')
    throw new CommandFailed(`the relay on ${asked}:${port} is not ${ready ? 'ready' : 'healthy'}: ${found}`);
  process.stdout.write('ok\n');
}
