import { get } from 'node:http';
import { CommandFailed, command, flag } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';

const serve = command({
  name: 'serve',
  summary: 'serve forms over HTTP',
  description:
    'answer HTTP on $HOST:$PORT, with the config of --config, CONFIG_INLINE, CONFIG_FILE, CONFIG_BUCKET or RELAY_CONFIG',
  examples: [
    ['relay serve', 'serve webform.yaml on port 8080'],
    ['HOST=127.0.0.1 PORT=8081 relay serve', 'only on this machine, on another port'],
  ],
  options: { untilStdinEnds: flag('also stop when standard input ends', { isHidden: true }) },
  run: async ({ untilStdinEnds }, { configOption }) =>
    (await import('../serve_http.ts')).serve(configOption, untilStdinEnds),
});

const health = command({
  name: 'health',
  summary: 'check whether the relay on this machine responds',
  description: 'check whether the relay on this machine (PORT) responds, for health checks of containers',
  options: {
    ready: flag('also check that it can accept submissions: the config is loaded, and its stores work'),
  },
  examples: [
    ['relay health', 'exit code 0 if it responds, otherwise 1'],
    ['relay health --ready', 'the same for /readyz'],
  ],
  run: ({ ready = false }) => askHealth(ready),
});

export const plugin: Plugin = { name: 'serve', commands: [serve, health] };

/** Container engines kill a health check that takes longer. */
const timeoutMs = 5_000;

/** Requests `/healthz` or `/readyz` from the relay that listens here. Throws a `CommandFailed` unless it responds with 200. */
async function askHealth(ready: boolean): Promise<void> {
  const path = ready ? '/readyz' : '/healthz';
  const { settingsOf } = await import('../own_setup.ts');
  const { host, port } = settingsOf(process.env);
  // A wildcard address cannot be connected to.
  const contacted = /^(0\.0\.0\.0|::)?$/.test(host) ? '127.0.0.1' : host;
  const found = await new Promise<string>((resolve) => {
    const request = get({ host: contacted, port, path, timeout: timeoutMs, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? 'ok' : `${path} answers ${answer.statusCode}`);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)));
    request.on('error', ({ message }) => resolve(message));
  });
  if (found !== 'ok')
    throw new CommandFailed(
      `the relay on ${contacted}:${port} is not ${ready ? 'ready' : 'healthy'}: ${found}`,
    );
  process.stdout.write('ok\n');
}
