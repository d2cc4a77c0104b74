/**
 * The cost of keeping spam out: `npx tsx lab/bench/guards.ts`, after a build. The same submission, of a different visitor each
 * time, to a form with a honeypot alone, and to forms with gates, a proof of work, all signals that ask nobody else, and
 * all of that. The aim: at most 1.3 of the first in CPU time.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { hardness, solutionFor } from '../../packages/relay/src/features/proof/challenge.ts';
import { load, startSink } from './load.ts';
import { type Child, cpuSeconds, peakRssMb, pinThisProcess, spawnNode } from './process.ts';
import { environment, formWith } from './submission.ts';

const secret = 'a secret that the relay and its bench share';
const isPinned = pinThisProcess();
const sink = await startSink();
console.log(isPinned ? 'Relay on one core, load and sink on another.' : 'NOT pinned: taskset is missing.');

const gates = {
  origins: ['https://example.com', 'https://*.example.com'],
  origins_unknown: 'refuse',
  rate_limit: '5 per 10m',
};
const proof = { proof_of_work: true };
const signals = { behaviour: true, doubt: 'tag' };
const ways: Readonly<Record<string, { readonly form?: object; readonly spam?: object }>> = {
  'honeypot alone': {},
  gates: { form: gates },
  'proof of work': { spam: proof },
  signals: { spam: signals },
  'all of it': { form: gates, spam: { ...proof, ...signals } },
};

const vocabulary =
  'the a we you would like to know if your room is free in may for two with breakfast and when can i come by train from berlin my order has not arrived yet please tell me what it costs since friday thank very much best regards could send an invoice garden window blue table four chairs'.split(
    ' ',
  );

const rounds: Record<string, { cpuUs: number; perSecond: number; rssMb: number }[]> = {};
for (let round = 0; round < 3; round += 1) {
  for (const [name, way] of Object.entries(ways)) {
    const relay = await start(way);
    const hasProof = Object.hasOwn(way.spam ?? {}, 'proof_of_work');
    await load(relay.origin, requests(hasProof), { connections: 32, seconds: 2 });
    const receivedBefore = sink.received;
    const cpuBefore = cpuSeconds(relay.process);
    const { answers, failures, seconds } = await load(relay.origin, requests(hasProof), {
      connections: 32,
      seconds: 5,
    });
    const cpuUs = ((cpuSeconds(relay.process) - cpuBefore) / answers) * 1e6;
    if (failures > 0 || sink.received - receivedBefore < answers) {
      throw new Error(
        `${name}: ${failures} failures, ${answers} answers, ${sink.received - receivedBefore} delivered`,
      );
    }
    rounds[name] = [
      ...(rounds[name] ?? []),
      { cpuUs, perSecond: answers / seconds, rssMb: peakRssMb(relay.process) },
    ];
    relay.process.kill();
    await once(relay.process, 'exit');
  }
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
const floor = rounds['honeypot alone'] ?? [];
console.table(
  Object.fromEntries(
    Object.entries(rounds).map(([name, all]) => [
      name,
      {
        'CPU µs': Math.round(median(all.map(({ cpuUs }) => cpuUs))),
        'CPU ratio': median(all.map(({ cpuUs }, at) => cpuUs / (floor[at]?.cpuUs ?? 1))).toFixed(2),
        'a second': Math.round(median(all.map(({ perSecond }) => perSecond))),
        'RSS MB': Math.round(median(all.map(({ rssMb }) => rssMb))),
      },
    ]),
  ),
);
sink.close();

/** Each from another address, with another text and another solution; made before, since the load has a core to share. */
function requests(hasProof: boolean): () => Buffer {
  const expiresAt = Date.now() + 3_600_000;
  const made = Array.from({ length: 80_000 }, (_, at) => {
    const number = Math.floor(Math.random() * 2 ** 31) + at;
    const body = new URLSearchParams({
      name: 'Ada Lovelace',
      email: `ada${number}@example.org`,
      company: 'Analytical Engines & Co.',
      message: textOf(number),
      website: '',
      _behaviour: 'v1;k=180;p=0;f=4;t=45000;m=1;c=0',
      ...(hasProof && {
        altcha: solutionFor(secret, 'contact', { nonce: `${number}-${at}`, expiresAt, most: hardness.usual }),
      }),
    }).toString();
    const address = [16, 8, 0].map((bits) => (number >> bits) & 255).join('.');
    return Buffer.from(
      'POST /api/v1/submit/contact HTTP/1.1\r\nhost: localhost\r\norigin: https://www.example.com\r\n' +
        `x-forwarded-for: 203.0.113.9, 11.${address}\r\n` +
        'user-agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n' +
        'accept: application/json\r\naccept-language: en-GB,en;q=0.5\r\naccept-encoding: gzip, deflate, br\r\n' +
        'sec-fetch-site: cross-site\r\nsec-fetch-mode: cors\r\nsec-fetch-dest: empty\r\n' +
        `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
  let next = 0;
  return () => {
    const one = made[next % made.length] as Buffer;
    next += 1;
    return one;
  };
}

/** Some 250 characters in an order that no other visitor has: texts that share a sentence would count as repeated. */
function textOf(number: number): string {
  let state = number;
  return Array.from({ length: 45 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return vocabulary[state % vocabulary.length];
  }).join(' ');
}

async function start({ form = {}, spam = {} }: { readonly form?: object; readonly spam?: object }) {
  const base = JSON.parse(formWith({ type: 'http_post', url: `${sink.origin}/hook`, mapping: '*' }));
  const contact = { ...base, ...form, spam: { ...base.spam, ...spam } };
  const env = {
    ...environment,
    TRUSTED_PROXIES: '127.0.0.1/32',
    FORM_TOKEN_SECRET: secret,
    CONFIG_INLINE: JSON.stringify({ forms: { contact } }),
  };
  const process: Child = spawnNode(['dist/relay.cjs', 'serve'], env, isPinned);
  const [line] = await once(createInterface({ input: process.stdout }), 'line');
  return { process, origin: line.match(/http:\/\/[\w.]+:\d+/)[0] as string };
}
