/**
 * For how long a changed config stops the event loop while it is loaded, and the process's memory at its peak, each way
 * and size in a fresh process: `npm run build && npx tsx lab/bench/refresh.ts`.
 *
 * The longest time between two ticks of a timer, once with and once without what the process had to wait for a core
 * (Linux only), which is the machine's load, not the relay's.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ok } from '../../packages/relay/src/base/result.ts';
import { createRelay } from '../../packages/relay/src/relay.ts';
import { parseInWorker } from '../../packages/relay/src/runtimes/parse_in_worker.ts';
import { middle } from './process.ts';

const ways = ['in one go', 'as relay serve does'];
const sizes = [10, 100, 1_000, 10_000];
const refreshes = 9;

const [way, size] = process.argv.slice(2);
if (way === undefined) measureAll();
else await measure(way, Number(size));

function measureAll(): void {
  const rows: Record<string, object> = {};
  for (const forms of sizes) {
    for (const way of ways) {
      const [script = ''] = process.argv.slice(1);
      const args = [...process.execArgv, script, way, String(forms)];
      rows[`${forms} forms, ${way}`] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    }
  }
  console.log(`Node ${process.version}: the longest stop of the event loop while a changed config is loaded`);
  console.table(rows);
}

async function measure(way: string, forms: number): Promise<void> {
  let text = Buffer.from(config(forms, 0));
  let onLoaded = () => {};
  const relay = createRelay({
    configFile: 'webform.yaml',
    env: { CACHE_TTL: '1ms' },
    ...(way === ways[1] && {
      parseLarge: parseInWorker(new URL('../../dist/cli/parse_worker.cjs', import.meta.url)),
    }),
    effects: {
      log: (_, event, fields) => {
        if (event === 'config_loaded') onLoaded();
        else throw new Error(`${event} ${JSON.stringify(fields)}`);
      },
      sleep: async () => {},
      readFile: async () => ok({ text: text.toString(), modifiedAt: 0 }),
    },
  });
  await relay.config.get();

  const stops: Stop[] = [];
  const durationsMs: number[] = [];
  for (let marker = 1; marker <= refreshes; marker += 1) {
    text = Buffer.from(config(forms, marker));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const watch = watchStops();
    const loaded = new Promise<void>((resolve) => {
      onLoaded = resolve;
    });
    const started = performance.now();
    await relay.config.get();
    await loaded;
    durationsMs.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 50));
    stops.push(watch.end());
  }
  const wall = stops.map(({ wallMs }) => wallMs);
  const own = stops.map(({ ownMs }) => ownMs);
  const row = {
    'median, ms': Math.round(middle(wall)),
    'worst, ms': Math.round(Math.max(...wall)),
    'median without waiting': Math.round(middle(own)),
    'worst without waiting': Math.round(Math.max(...own)),
    'until it serves, ms': Math.round(middle(durationsMs)),
    'peak, MB': Math.round(process.resourceUsage().maxRSS / 1024),
  };
  console.log(JSON.stringify(row));
  process.exit();
}

interface Stop {
  wallMs: number;
  ownMs: number;
}

function watchStops(): { end(): Stop } {
  const longest: Stop = { wallMs: 0, ownMs: 0 };
  let at = performance.now();
  let waited = waitedMs();
  const timer = setInterval(() => {
    const now = performance.now();
    const waitedNow = waitedMs();
    longest.wallMs = Math.max(longest.wallMs, now - at);
    longest.ownMs = Math.max(longest.ownMs, now - at - (waitedNow - waited));
    at = now;
    waited = waitedNow;
  }, 1);
  return {
    end: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

/** How long this thread has waited for a core so far, though it had work. */
function waitedMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

function config(forms: number, marker: number): string {
  return `forms:\n${Array.from({ length: forms }, (_, id) => form(id, marker)).join('')}`;
}

function form(id: number, marker: number): string {
  return `
  form_${id}:
    title: Form ${id}, version ${marker}
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true, label: E-mail}
      - {name: company}
      - {name: message, type: textarea, required: true, help: As long as you like.}
    spam: {honeypot: website}
    outputs:
      - {type: http_post, url: "https://crm.example.com/${id}", mapping: "*", static: {form: "{{ .form.id }}"}}
      - {type: smtp, host: smtp.example.com, to: office@example.com, reply_to: "{{ .fields.email }}", mapping: "*"}
`;
}
