/**
 * The bytes allocated per submission stay as recorded in allocation.json. `npm run allocation` records them
 * again for the current Node; review the diff.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { startSink } from '../../lab/bench/load.ts';
import { environment, formWith, request } from '../../lab/bench/submission.ts';
import { allocatedPerSubmission } from '../support/allocation.ts';
import { smtpSink, untilEnd } from '../support/index.ts';

const file = new URL('allocation.json', import.meta.url);
const [major = ''] = process.versions.node.split('.');
const readRecord = (): Record<string, Record<string, number>> => JSON.parse(readFileSync(file, 'utf8'));
const recorded = readRecord()[major];
const isRecording = Boolean(process.env.UPDATE);

/** On a machine busy with other tests, thousands of submissions take a while. */
const timeout = 600_000;

/** More is a regression. */
const most = 1.05;

/** Less is an improvement that must be recorded; otherwise it could be lost again unnoticed. */
const least = 0.9;

/** The form that all benchmarks use: four fields, a honeypot, one `http_post`. */
async function plainForm() {
  const sink = await untilEnd(startSink());
  return formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' });
}

async function mail(words: object = {}) {
  const sink = await smtpSink();
  const output = { type: 'smtp', host: '127.0.0.1', port: String(sink.port), to: 'office@firm.example' };
  return formWith({ ...output, mapping: '*', reply_to: '{{ .fields.email }}', ...words });
}

/** Fields without rules, no honeypot, one output with one value. */
async function formWithoutFeatures() {
  const sink = await untilEnd(startSink());
  const fields = ['name', 'email', 'company', 'message', 'website'].map((name) => ({ name }));
  const output = { type: 'http_post', url: `${sink.origin}/hook`, mapping: { name: 'name' } };
  return ` ${JSON.stringify({ fields, outputs: [output] })}\n`;
}

/** `like`: the case whose record applies. */
const cases: [string, () => Promise<string>, Readonly<Record<string, string>>, like?: string][] = [
  ['a plain form', plainForm, {}],
  ['a form that uses no loaded plug-in', plainForm, { RELAY_PLUGINS: './examples/plugins' }, 'a plain form'],
  ['a mail', mail, {}],
  ['an HTML mail', () => mail({ html: true, intro: 'Somebody wrote:', footer: 'Sent by the website.' }), {}],
  // Accepted submissions are logged at level `info`.
  ['every feature off', formWithoutFeatures, { LOG_LEVEL: 'error' }],
];

test.for(cases)(
  '%s allocates no more than was recorded',
  { timeout },
  async ([name, form, env, like = name], { skip }) => {
    skip(!recorded && !isRecording, `Nothing is recorded for Node ${major}: npm run allocation records it.`);
    const config = `forms:\n  contact:${await form()}`;
    const bytes = await allocatedPerSubmission(request, {
      ...environment,
      CONFIG_INLINE: config,
      CACHE_TTL: '1h',
      ...env,
    });
    if (isRecording && like === name) record(name, bytes);
    if (isRecording) return;
    const before = recorded?.[like] ?? 0;
    expect(bytes, `bytes a submission; recorded were ${before}`).toBeLessThanOrEqual(before * most);
    expect(bytes, `lighter than ${before}: npm run allocation records it`).toBeGreaterThanOrEqual(
      before * least,
    );
  },
);

function record(name: string, bytes: number): void {
  const all = readRecord();
  all[major] = { ...all[major], [name]: bytes };
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}
