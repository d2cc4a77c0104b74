/**
 * How long large configs take to load and check, each in a fresh process, as a cold start meets them.
 *
 *   npx tsx lab/bench/config.ts [node ...]
 *
 * Measures `packages/relay/src/config/parse.ts`, through the tests' `parseConfig`, bundled into one CommonJS file as the relay is, on the given Node binaries (default:
 * the one that runs this). The budget on Node 20: 1,000 forms in 150 ms; 10,000 forms in 1 s and 400 MB.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const runs = 7;

/** Run in the fresh process: prints milliseconds and the peak of resident memory. */
const measure = `
const text = require('node:fs').readFileSync(process.argv[2], 'utf8');
const started = performance.now();
const { parseConfig } = require('./parse.cjs');
const loaded = performance.now();
const result = parseConfig(text, 'webform.yaml');
const ended = performance.now();
if (!result.ok) throw new Error(result.error[0].message);
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ importMs: loaded - started, parseMs: ended - loaded, peakMb }));
`;

const dir = mkdtempSync(join(tmpdir(), 'relay-bench-'));

try {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../test/support/parse_config.ts', import.meta.url)),
    platform: 'node',
  });
  await bundle.write({ file: join(dir, 'parse.cjs'), format: 'cjs' });
  writeFileSync(join(dir, 'measure.cjs'), measure);
  for (const node of process.argv.slice(2).length > 0 ? process.argv.slice(2) : [process.execPath]) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    console.log(`\n${version}, median of ${runs} fresh processes`);
    console.table(
      Object.fromEntries([1, 100, 1_000, 10_000].map((count) => [`${count} forms`, row(node, count)])),
    );
  }
} finally {
  rmSync(dir, { recursive: true });
}

function row(node: string, count: number) {
  const file = join(dir, `${count}.yaml`);
  writeFileSync(file, config(count));
  const measured = Array.from({ length: runs }, () =>
    JSON.parse(execFileSync(node, [join(dir, 'measure.cjs'), file], { encoding: 'utf8' })),
  ) as { importMs: number; parseMs: number; peakMb: number }[];
  const median = (key: 'importMs' | 'parseMs' | 'peakMb') =>
    Math.round(measured.map((one) => one[key]).sort((a, b) => a - b)[(runs - 1) / 2] ?? Number.NaN);
  return {
    'text, KB': Math.round(readFileSync(file).byteLength / 1000),
    'import, ms': median('importMs'),
    'load and check, ms': median('parseMs'),
    'peak, MB': median('peakMb'),
  };
}

/** Forms of about 1.1 KB each, with all that a usual one has. */
function config(count: number): string {
  const form = (number: number) => `  contact-${number}:
    spam: {honeypot: website, min_fill_seconds: 3, form_ttl: 2h}
    fields:
      - {name: name, required: true, autocomplete: name}
      - {name: email, type: email, required: true}
      - {name: phone, type: tel}
      - name: topics
        type: checkboxes
        options: [sales, support, {value: press, label: Press and media}]
      - {name: kind, type: radios, options: [business, private], required: true}
      - {name: company, visible_when: {field: kind, is: business}}
      - {name: message, type: textarea, required: true, max_length: 5000, rows: 6}
    outputs:
      - type: http_post
        url: https://crm.example.com/hooks/${number}
        headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}
        mapping: {full_name: name, email: email, phone: phone, topics: topics, text: message}
        static: {source: "{{ .form.id }}", received: "{{ .submitted_at }}"}
      - type: smtp
        host: mail.example.com
        to: office-${number}@example.com
        username: relay
        password: '{{ env "SMTP_PASSWORD" }}'
        subject: 'Message from {{ default "somebody" (trim .fields.name) }}'
        mapping: "*"
`;
  return `forms:\n${Array.from({ length: count }, (_, number) => form(number)).join('')}`;
}
