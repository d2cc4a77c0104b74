/**
 * How long a cold Lambda function takes from the start of its process to its first answer, and how much memory.
 *
 *   node scripts/setup.mjs && npx tsx bench/cold_start.ts [node ...]
 *
 * Runs `dist/lambda/lambda.cjs` on the given Node binaries (default: the one that runs this), beside a process that does
 * nothing, round about; only the ratios say something. S3 and SES are a small server in this process, over plain HTTP.
 * The budget: 1.5 times the empty process with an inline config, 2.2 times with a config from S3 and one mail through
 * SES, and there at most 60 MB, on Node 20 and 24.
 *
 * Another Node's path: `npx --yes -p node@24 node -p process.execPath`
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHttpSink } from '../test/support/http_sink.ts';

const rounds = 21;

const form = (output: string) => `
    spam: {honeypot: website}
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, support]}
      - {name: message, type: textarea, required: true}
    outputs:
      - {${output}, mapping: "*"}
`;
const mail = form('type: email, to: office@example.com, reply_to: "{{ .fields.email }}"');
const hook = form('type: http_post, url: "http://127.0.0.1:9/"');
const forms = (count: number, each: string) =>
  `forms:\n${Array.from({ length: count }, (_, number) => `  contact${number || ''}:${each}`).join('')}`;

const aws = await startHttpSink({
  answer: ({ method }) =>
    method === 'GET'
      ? { headers: { etag: '"1"' }, body: forms(1, mail) }
      : { headers: { 'content-type': 'application/json' }, body: '{"MessageId":"1"}' },
});
const awsSettings = {
  CONFIG_BUCKET: 'configs',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: aws.origin,
  MAIL_FROM_ADDRESS: 'forms@example.com',
};

const dir = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const manyForms = join(dir, '500.yaml');
writeFileSync(manyForms, forms(500, hook));

/** Says its peak memory, in KB, as soon as it is done. */
const done = 'process.stdout.write(String(process.resourceUsage().maxRSS));';
const empty = join(dir, 'empty.cjs');
writeFileSync(empty, done);

/** Loads the function and asks it once, as Lambda's runtime does. */
const ask = join(dir, 'ask.cjs');
const lambda = fileURLToPath(new URL('../dist/lambda/lambda.cjs', import.meta.url));
writeFileSync(
  ask,
  `
(async () => {
  const { handler } = await require(${JSON.stringify(lambda)});
  const event = JSON.parse(process.argv[2]);
  const context = { awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd', getRemainingTimeInMillis: () => 25_000 };
  const { statusCode } = await handler(event, context);
  if (statusCode !== 200) throw new Error('answered ' + statusCode);
  ${done}
})();
`,
);
const event = (method: string, rawPath: string, body = '') =>
  JSON.stringify({
    rawPath,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    requestContext: { stage: '$default', http: { method } },
  });
const show = event('GET', '/api/v1/form/contact');
const submit = event('POST', '/api/v1/submit/contact', 'name=Ada&email=ada%40example.org&message=Hello');

/** What is compared; the first is the floor. */
const cases = [
  { name: 'empty process', args: [empty], env: {} },
  { name: 'inline config, a form shown', args: [ask, show], env: { CONFIG_INLINE: forms(1, hook) } },
  { name: 'config from S3, a form shown', args: [ask, show], env: awsSettings },
  { name: 'config from S3, a mail through SES', args: [ask, submit], env: awsSettings },
  { name: '500 forms, a form shown', args: [ask, show], env: { CONFIG_FILE: manyForms } },
];

try {
  const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
  for (const node of nodes) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const results = cases.map(() => [] as { ms: number; peakMb: number }[]);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { args, env }] of cases.entries()) results[index]?.push(await run(node, args, env));
    }
    const floor = median(results[0]?.map(({ ms }) => ms));
    console.log(`\n${version}, medians of ${rounds} rounds`);
    console.table(
      Object.fromEntries(
        results.map((runs, index) => {
          const ms = median(runs.map((run) => run.ms));
          const fastest = Math.min(...runs.map((run) => run.ms));
          const peakMb = median(runs.map((run) => run.peakMb));
          const row = {
            ms: round1(ms),
            'times empty': round2(ms / floor),
            fastest: round1(fastest),
            peakMb: round1(peakMb),
          };
          return [cases[index]?.name, row];
        }),
      ),
    );
  }
} finally {
  await aws.close();
  rmSync(dir, { recursive: true });
}

/** A fresh process until its first word. */
async function run(node: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const started = performance.now();
  const child = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [peak] = (await once(child.stdout, 'data')) as [Buffer];
  const ms = performance.now() - started;
  if (child.exitCode === null) await once(child, 'exit');
  return { ms, peakMb: Number(peak) / 1024 };
}

function median(numbers: readonly number[] = []): number {
  return numbers.toSorted((a, b) => a - b)[(rounds - 1) / 2] ?? Number.NaN;
}

function round1(number: number): number {
  return Math.round(number * 10) / 10;
}

function round2(number: number): number {
  return Math.round(number * 100) / 100;
}
