/**
 * Measures a cold Lambda function from the start of its process to its first answer: CPU time of all its
 * threads, and its peak memory.
 *
 *   node scripts/setup.mjs && npx tsx lab/bench/cold_start.ts [node ...]     part of npm run bench
 *
 * Runs `dist/lambda/lambda.cjs` on the given Node binaries (default: the current one) with Lambda's flags,
 * in turn with a handler that only answers; only the ratios are meaningful. S3 and SES are a small server in
 * this process, over plain HTTP. With `RUNTIME_CLIENT=<aws-lambda-ric's index.mjs>`, that client calls the
 * handler, as on Lambda; by default a stub calls it, which is lighter, so the same work gives a higher
 * ratio. With `BEFORE=<the dist folder of another build>`, that build takes turns with this one.
 *
 * The path of another Node: `npx --yes -p node@24 node -p process.execPath`
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import type { HttpEvent } from '../../packages/runtimes/src/lambda/http_event.ts';
import { tempFolder } from '../../scripts/machine.ts';
import { startHttpSink } from '../../test/support/http_sink.ts';
import { apiGatewayEvent } from '../../test/support/lambda_events.ts';
import { startLambda } from '../../test/support/lambda_runtime.ts';
import { cpuSeconds, middle, peakRssMb } from './process.ts';

const rounds = Number(process.env.ROUNDS ?? 21);
const round1 = (number: number) => Math.round(number * 10) / 10;

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

const dir = tempFolder('bench');
const empty = join(dir, 'empty.cjs');
writeFileSync(empty, 'exports.handler = async () => ({ statusCode: 200, headers: {}, body: "{}" });');
const manyForms = join(dir, '500.yaml');
writeFileSync(manyForms, forms(500, hook));

const show = apiGatewayEvent({ method: 'GET', target: '/api/v1/form/contact' });
const submit = apiGatewayEvent({
  method: 'POST',
  target: '/api/v1/submit/contact',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from('name=Ada&email=ada%40example.org&message=Hello'),
});

interface Situation {
  readonly name: string;
  readonly event: HttpEvent;
  readonly env: Readonly<Record<string, string>>;
}

const asJson = JSON.stringify(load(forms(1, hook)));
const situations: readonly Situation[] = [
  { name: 'inline config, a form shown', event: show, env: { CONFIG_INLINE: forms(1, hook) } },
  { name: 'as JSON, a form shown', event: show, env: { CONFIG_INLINE: asJson } },
  { name: 'config from S3, a form shown', event: show, env: awsSettings },
  { name: 'config from S3, a mail through SES', event: submit, env: awsSettings },
  { name: '500 forms, a form shown', event: show, env: { CONFIG_FILE: manyForms } },
];

/** The cases to compare; the first is the baseline. */
const cases: readonly (Situation & { readonly file: string })[] = [
  { name: 'empty handler', event: show, env: {}, file: empty },
  ...['BEFORE', 'dist'].flatMap((build) => {
    const dist = build === 'dist' ? build : process.env[build];
    const file = resolve(dist ?? '', 'lambda/lambda.cjs');
    return dist ? situations.map((one) => ({ ...one, name: `${one.name}, ${build}`, file })) : [];
  }),
];

try {
  const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
  for (const node of nodes) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const results = cases.map(() => [] as { cpu: number; ms: number; peakMb: number }[]);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, one] of cases.entries()) results[index]?.push(await run(node, one));
    }
    const floor = middle(results[0]?.map(({ cpu }) => cpu) ?? []);
    console.log(`\n${version}, medians of ${rounds} rounds`);
    console.table(
      Object.fromEntries(
        results.map((runs, index) => {
          const cpu = middle(runs.map((run) => run.cpu));
          const row = {
            'CPU ms': round1(cpu),
            'times empty': Math.round((cpu / floor) * 100) / 100,
            ms: round1(middle(runs.map((run) => run.ms))),
            'peak MB': middle(runs.map((run) => run.peakMb)),
          };
          return [cases[index]?.name, row];
        }),
      ),
    );
  }
} finally {
  await aws.close();
}

/** Runs a new process until its first answer. */
async function run(node: string, { event, env, file }: (typeof cases)[number]) {
  const started = performance.now();
  const client = process.env.RUNTIME_CLIENT;
  const lambda = await startLambda({ env, file, node, client, way: 'import' });
  try {
    const { result } = await lambda.invoke(event);
    const ms = performance.now() - started;
    if (result.statusCode !== 200) throw new Error(`answered ${result.statusCode}: ${lambda.log()}`);
    return { cpu: cpuSeconds(lambda) * 1_000, ms, peakMb: peakRssMb(lambda) };
  } finally {
    await lambda.close();
  }
}
