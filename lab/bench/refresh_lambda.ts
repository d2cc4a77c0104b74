/**
 * What a changed config costs a function with 128 MB: how long a visitor waits at Lambda's share of a core, and how much memory
 * its process takes at its peak.
 *
 *   node scripts/setup.mjs && npx tsx lab/bench/refresh_lambda.ts [forms ...]
 *
 * With `BEFORE=<the dist folder of another build>` in turn with that. S3 is a small server in this process. The share is a
 * quota of the kernel (cgroup v1, needs root): 1.4 ms of every 20 ms; without it only memory and CPU time say something.
 * The aim: no visitor waits longer than a second with 1,000 forms, and 2,000 forms stay below 128 MB.
 */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startHttpSink } from '../../test/support/http_sink.ts';
import { functionUrlEvent } from '../../test/support/lambda_events.ts';
import { startLambda } from '../../test/support/lambda_runtime.ts';
import { middle } from './process.ts';

const changes = 5;
const kinds = ['every form', 'one form'] as const;
type Kind = (typeof kinds)[number];
/** The form that visitors ask for. */
const shown = 1;
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 2_000];
const builds = {
  ...(process.env.BEFORE && { before: resolve(process.env.BEFORE) }),
  now: resolve('dist'),
};

const rows: Record<string, object> = {};
for (const forms of sizes)
  for (const kind of kinds)
    for (const [build, folder] of Object.entries(builds))
      rows[`${forms} forms, ${kind} changed, ${build}`] = await measure(folder, forms, kind).catch(
        (error: Error) => ({ ended: error.message }),
      );
console.log(`Node ${process.version}, ${changes} changes`);
console.table(rows);
process.exit();

async function measure(folder: string, forms: number, kind: Kind): Promise<object> {
  let version = 0;
  const s3 = await startHttpSink({
    answer: ({ headers }) =>
      headers['if-none-match'] === `"${version}"`
        ? { status: 304 }
        : { headers: { etag: `"${version}"` }, body: config(forms, version, kind) },
  });
  const lambda = await startLambda({
    file: join(folder, 'lambda/lambda.cjs'),
    env: {
      CONFIG_BUCKET: 'configs',
      CACHE_TTL: '1s',
      AWS_ENDPOINT_URL: s3.origin,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
  });
  try {
    await lambda.init;
    const show = async () => {
      const { result, ms, peakMb } = await lambda.invoke(
        functionUrlEvent({ method: 'GET', target: `/api/v1/form/form${shown}` }),
      );
      const [, found] = /version (\d+)/.exec(result.body) ?? [];
      return { ms, peakMb, status: result.statusCode, version: Number(found) };
    };
    const first = await show();
    const free = limit(lambda.pid);
    const longest: number[] = [];
    const requests: number[] = [];
    const servedMs: number[] = [];
    let peakMb = first.peakMb;
    for (let change = 0; change < changes; change += 1) {
      version += 1;
      await new Promise((goOn) => setTimeout(goOn, 1_100));
      const started = performance.now();
      let most = 0;
      let count = 0;
      for (let served = -1; served !== version; count += 1) {
        const answer = await show();
        if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${lambda.log().slice(-300)}`);
        most = Math.max(most, answer.ms);
        peakMb = Math.max(peakMb, answer.peakMb);
        served = answer.version;
      }
      longest.push(most);
      requests.push(count);
      servedMs.push(performance.now() - started);
    }
    free();
    return {
      'longest wait, median ms': Math.round(middle(longest)),
      'longest wait, worst ms': Math.round(Math.max(...longest)),
      'requests until it serves': middle(requests),
      'until it serves, ms': Math.round(middle(servedMs)),
      'peak at start, MB': Math.round(first.peakMb),
      'peak, MB': Math.round(peakMb),
    };
  } finally {
    await lambda.close();
    await s3.close();
  }
}

/** Gives the process Lambda's share of a core, from now on until what it returns is called. */
function limit(pid: number): () => void {
  const group = `/sys/fs/cgroup/cpu/relay-bench-${process.pid}`;
  try {
    mkdirSync(group);
    writeFileSync(join(group, 'cpu.cfs_period_us'), '20000');
    writeFileSync(join(group, 'cpu.cfs_quota_us'), '1400');
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch {
    console.log('no quota can be set here: the process has a whole core');
    return () => {};
  }
  return () => {
    writeFileSync('/sys/fs/cgroup/cpu/cgroup.procs', String(pid));
    rmdirSync(group);
  };
}

function config(forms: number, version: number, kind: Kind): string {
  const versionOf = (id: number) => (kind === 'every form' || id === shown ? version : 0);
  return `forms:\n${Array.from({ length: forms }, (_, id) => form(id, versionOf(id))).join('')}`;
}

/** As many sites have them. */
function form(id: number, version: number): string {
  return `
  form${id}:
    title: Write to us, version ${version}
    spam: {honeypot: website}
    fields:
      - {name: name, required: true, label: Your name, max_length: 200}
      - {name: email, type: email, required: true, label: Your e-mail address}
      - {name: topics, type: checkboxes, options: [sales, support, press], label: What is it about?}
      - {name: message, type: textarea, required: true, rows: 8}
    outputs:
      - {type: email, to: office@example.com, reply_to: "{{ .fields.email }}", mapping: "*"}
      - type: http_post
        url: https://crm.example.com/leads/${id}
        headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}
        mapping: {full_name: name, mail: email, interest: topics}
        static: {source: website, form: "{{ .form.id }}"}
`;
}
