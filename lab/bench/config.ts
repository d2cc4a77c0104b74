/**
 * Measures by number of forms how long a config takes to load, and how long a changed config blocks the event
 * loop; each in a new process: `npx tsx lab/bench/config.ts`.
 */
import { execFileSync } from 'node:child_process';
import { ok } from '../../packages/base/src/result.ts';
import { createRelay } from '../../packages/runtimes/src/index.ts';
import { middle } from './process.ts';
import { formWith } from './submission.ts';

const refreshes = 9;
const [, script = '', size] = process.argv;
if (size === undefined) measureAll();
else await measure(Number(size));

function measureAll(): void {
  const rows = [10, 100, 1_000, 10_000].map((forms) => {
    const args = [...process.execArgv, script, String(forms)];
    return [`${forms} forms`, JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))];
  });
  console.log(`Node ${process.version}, medians of ${refreshes} changes`);
  console.table(Object.fromEntries(rows));
}

async function measure(forms: number): Promise<void> {
  let version = 0;
  const relay = createRelay({
    configFile: 'webform.yaml',
    env: { CACHE_TTL: '1ms' },
    services: {
      log: (_, event, fields) => {
        if (event !== 'config_loaded') throw new Error(`${event} ${JSON.stringify(fields)}`);
      },
      readFile: async () => ok({ text: config(forms, version), modifiedAt: version }),
    },
  });
  const startedAt = performance.now();
  await relay.config.get();
  const startMs = performance.now() - startedAt;
  const stops: number[] = [];
  while (version < refreshes) {
    version += 1;
    let [at, longest] = [performance.now(), 0];
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - at);
      at = performance.now();
    }, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await relay.config.get();
    await new Promise((resolve) => setTimeout(resolve, 50));
    clearInterval(timer);
    stops.push(longest);
  }
  const row = {
    'text, KB': Math.round(config(forms, 0).length / 1_000),
    'first load, ms': Math.round(startMs),
    'longest stop, ms': Math.round(middle(stops)),
    'worst, ms': Math.round(Math.max(...stops)),
    'peak, MB': Math.round(process.resourceUsage().maxRSS / 1_024),
  };
  console.log(JSON.stringify(row));
  process.exit();
}

function config(forms: number, version: number): string {
  const subject = '{{ default "somebody" (trim .fields.name) }} writes';
  const http = { type: 'http_post', url: 'https://crm.example.com/', mapping: '*' };
  const smtp = { type: 'smtp', host: 'mail.example.com', to: 'office@example.com', subject };
  const form = (id: number) => formWith({ ...http, static: { id: `${id}, ${version}` } }, smtp);
  return `forms:\n${Array.from({ length: forms }, (_, id) => `  contact-${id}:${form(id)}`).join('')}`;
}
