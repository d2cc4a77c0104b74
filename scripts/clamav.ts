/**
 * What the relay does with a real ClamAV: a table, and exit code 1 where anything is not as it must be.
 *
 *   apt-get install --no-install-recommends clamav-daemon
 *   npm run clamav
 *
 * The daemon is started with one signature of its own, in a temporary folder; nothing is downloaded.
 */
import { startClamAV, testSignature, testVirus } from '../test/support/clamav.ts';
import { startHttpSink } from '../test/support/http_sink.ts';
import { startRelay } from '../test/support/relay.ts';
import { zipOf } from '../test/support/sample_files.ts';

const clamav = await startClamAV('2M');
const sink = await startHttpSink();
const form = (clamd: string, more = '') => ({
  scan: `{clamd: "${clamd}"${more}}`,
  fields: '[{name: cv, type: file, multiple: true, accept: [text, zip, .bin]}]',
  outputs: `[{type: http_post, url: "${sink.origin}/", mapping: "*"}]`,
});
const forms = {
  tcp: form(`127.0.0.1:${clamav.port}`),
  socket: form(clamav.socket),
  lenient: form(`127.0.0.1:${clamav.port}`, ', too_large: deliver'),
};
const relay = await startRelay({
  config: `forms:\n${Object.entries(forms)
    .map(
      ([name, { scan, fields, outputs }]) =>
        `  ${name}: {scan: ${scan}, fields: ${fields}, outputs: ${outputs}}\n`,
    )
    .join('')}`,
});

interface Scenario {
  readonly what: string;
  readonly form: keyof typeof forms;
  readonly files: readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[];
  readonly answer: 200 | 422 | 500;
  /** A line of the log that must be there. */
  readonly logs?: readonly [event: string, field: string, value: unknown];
}

const found = ['virus_found', 'signature', `${testSignature}.UNOFFICIAL`] as const;
const large = 'x'.repeat(3_000_000);
const scenarios: readonly Scenario[] = [
  { what: 'a clean file', form: 'tcp', files: [['a.txt', 'Hello']], answer: 200 },
  {
    what: 'ten clean files, 1.9 MB of them in one',
    form: 'tcp',
    files: [
      ['a.txt', large.slice(0, 1_900_000)],
      ...Array.from({ length: 9 }, (_, n) => [`${n}.txt`, 'Hello'] as const),
    ],
    answer: 200,
  },
  { what: 'a virus', form: 'tcp', files: [['a.txt', `x ${testVirus} x`]], answer: 422, logs: found },
  {
    what: 'a virus in the last of three',
    form: 'tcp',
    files: [
      ['a.txt', 'a'],
      ['b.txt', 'b'],
      ['c.txt', testVirus],
    ],
    answer: 422,
    logs: found,
  },
  {
    what: 'a virus in a zip',
    form: 'tcp',
    files: [['a.zip', zipOf({ 'a.txt': testVirus })]],
    answer: 422,
    logs: found,
  },
  {
    what: 'a virus at the end of 1.9 MB',
    form: 'tcp',
    files: [['a.txt', large.slice(0, 1_900_000) + testVirus]],
    answer: 422,
    logs: found,
  },
  { what: 'a virus, by the socket', form: 'socket', files: [['a.txt', testVirus]], answer: 422, logs: found },
  { what: 'a clean file, by the socket', form: 'socket', files: [['a.txt', 'Hello']], answer: 200 },
  ...Array.from(
    { length: 10 },
    (): Scenario => ({
      what: 'a file that is too large for it',
      form: 'tcp',
      files: [['a.txt', large]],
      answer: 422,
    }),
  ),
  {
    what: 'the same, delivered unseen',
    form: 'lenient',
    files: [['a.txt', large]],
    answer: 200,
    logs: ['files_unscanned', 'fields', ['cv']],
  },
  {
    what: 'a virus beside it',
    form: 'lenient',
    files: [
      ['a.txt', large],
      ['b.txt', testVirus],
    ],
    answer: 422,
    logs: found,
  },
];

let isWell = true;
async function play({ what, form, files, answer, logs }: Scenario): Promise<void> {
  const before = { logged: relay.logged.length, delivered: sink.requests.length };
  const body = new FormData();
  for (const [name, content] of files) body.append('cv', new File([content], name));
  const began = performance.now();
  const { status } = await relay.request(`/api/v1/submit/${form}`, { method: 'POST', body });
  const ms = Math.round(performance.now() - began);
  const delivered = sink.requests.length - before.delivered;
  const isLogged =
    !logs ||
    relay.logged
      .slice(before.logged)
      .some((line) => line.event === logs[0] && JSON.stringify(line[logs[1]]) === JSON.stringify(logs[2]));
  const isRight = status === answer && delivered === (answer === 200 ? 1 : 0) && isLogged;
  isWell &&= isRight;
  process.stdout.write(
    `${isRight ? 'ok   ' : 'WRONG'}  ${String(status).padEnd(5)} ${`${ms} ms`.padStart(8)}  ${what}${isLogged ? '' : `: no ${logs?.[0]} in the log`}\n`,
  );
}

try {
  for (const scenario of scenarios) await play(scenario);
  await clamav.close();
  await play({
    what: 'it was stopped',
    form: 'tcp',
    files: [['a.txt', 'Hello']],
    answer: 500,
    logs: ['scan_failed', 'scanner', `127.0.0.1:${clamav.port}`],
  });
} finally {
  await relay.close();
  await sink.close();
}
process.exitCode = isWell ? 0 : 1;
