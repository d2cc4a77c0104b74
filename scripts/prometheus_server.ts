import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of Prometheus' own API, as far as it is looked at here. */
interface Answer {
  readonly error?: string;
  readonly data?: {
    readonly alerts?: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[];
    readonly result?: readonly { readonly value: readonly [at: number, value: string] }[];
  };
}

export interface Prometheus {
  readonly child: ChildProcess;
  readonly firing: () => Promise<readonly string[]>;
  /** How many lines a query has. */
  readonly ask: (expr: string) => Promise<number>;
}

/** A real Prometheus that reads these targets, `host:port`, each second. Its files are in `folder`. */
export async function startPrometheus(
  folder: string,
  rules: string,
  targets: readonly string[],
): Promise<Prometheus> {
  const port = await freePort();
  writeFileSync(join(folder, 'rules.yml'), rules);
  writeFileSync(
    join(folder, 'prometheus.yml'),
    readFileSync(new URL('../deploy/prometheus/prometheus.yml', import.meta.url), 'utf8')
      .replaceAll(/(scrape|evaluation)_interval: 15s/g, '$1_interval: 1s')
      .replace('form-relay.rules.yml', 'rules.yml')
      .replace('["127.0.0.1:9090"]', JSON.stringify(targets)),
  );
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const get = async (path: string): Promise<Answer> =>
    (await (await fetch(`http://127.0.0.1:${port}/${path}`)).json()) as Answer;
  for (const until = Date.now() + 30_000; ; await sleep(200)) {
    const { data } = await get('api/v1/query?query=up').catch((): Answer => ({}));
    if (data?.result?.length === targets.length) break;
    if (Date.now() > until) throw new Error('Prometheus does not read the relays');
  }
  return {
    child,
    firing: async () => {
      const { data } = await get('api/v1/alerts');
      return (data?.alerts ?? [])
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels.alertname);
    },
    ask: async (expr) => {
      const { data, error } = await get(`api/v1/query?query=${encodeURIComponent(expr)}`);
      if (error) console.log(error);
      return (data?.result ?? []).filter(({ value }) => value[1] !== 'NaN').length;
    },
  };
}

/** Prometheus does not say which port it took. */
async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
