/**
 * Servers that retry each submission under one `Idempotency-Key` until it is acknowledged, while relays are
 * killed: see README.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { between, chance } from './chance.ts';
import { type CountedOptions, openCounted } from './counted.ts';
import { claims, counter, eachNumber } from './loop.ts';

export interface KeysOptions extends CountedOptions {
  readonly submissions: number;
}

const senders = ['KEY_BILLING', 'KEY_SHOP'] as const;
const keyOf = (sender: string) => `frk_${sender}_0123456789abcdefghijklmnopqrstuvwxyz`;

/** An interrupted attempt locks its key for half a minute. A longer wait means a failure. */
const patienceMs = 120_000;

export async function runKeys(options: KeysOptions) {
  const { submissions, seed } = options;
  /** The `Idempotency-Key`s with which each submission reached the sink, in order. */
  const seen = new Map<number, string[]>();
  const taken = new Set<number>();
  let requests = 0;
  const counted = await openCounted(
    options,
    Object.fromEntries(senders.map((sender) => [sender, keyOf(sender)])),
    (output) => `  order:
    fields: [{name: number, type: number, required: true}]
    keys_env: [${senders.join(', ')}]
    keys_limit: off
    outputs: [${output}]
`,
    // Accepts most after a delay, and sometimes hangs up or fails.
    async ({ headers }, read) => {
      const number = Number(new URLSearchParams(await read()).get('number'));
      seen.set(number, [...(seen.get(number) ?? []), String(headers['idempotency-key'])]);
      requests += 1;
      await sleep(between(0, 40, chance(seed, 4, requests)));
      const at = chance(seed, 3, requests);
      if (at < 0.1) return 503;
      taken.add(number);
      await sleep(between(0, 40, chance(seed, 5, requests)));
      return at < 0.2 ? 'hang up' : 200;
    },
  );
  const order = (copy: number, number: number) =>
    counted.ask(copy, {
      path: '/api/v1/submit/order',
      body: JSON.stringify({ number }),
      headers: {
        authorization: `Bearer ${keyOf(senders[number % 2] as string)}`,
        'idempotency-key': `"submission-${number >> 1}"`,
        'content-type': 'application/json',
      },
    });

  const { violations, claim } = claims();
  const { counts: statuses, count } = counter();
  /** The answers that acknowledged each submission. */
  const acknowledged = new Map<number, string[]>();
  let tries = 0;
  /** Retries on one relay after another until the submission is acknowledged. */
  const send = async (number: number, first: number) => {
    const until = performance.now() + patienceMs;
    for (let at = first; performance.now() < until; at += 1) {
      const { status, body, headers } = await order(at, number);
      tries += 1;
      count(status);
      if (status === 200) return acknowledged.set(number, [...(acknowledged.get(number) ?? []), body]);
      await sleep(status === 409 ? Number(headers['retry-after']) * 1_000 : 50);
    }
    return violations.push(`submission ${number} was never acknowledged`);
  };
  const sent = await eachNumber(submissions, options, async (number) => {
    // Some submissions are sent by two servers.
    const isTwice = chance(seed, 11, number) < 0.2;
    await Promise.all([send(number, number), ...(isTwice ? [send(number, number + 1)] : [])]);
  });
  const calm = await counted.calm();

  let outbound = 0;
  for (let number = 0; number < sent; number += 1) {
    const keys = seen.get(number) ?? [];
    outbound += keys.length;
    claim(taken.has(number), `submission ${number} was acknowledged, and has not arrived`);
    const { size } = new Set(keys);
    claim(size <= 1, `submission ${number} was sent under ${size} Idempotency-Keys`);
    const again = await order(0, number);
    const answers = new Set([...(acknowledged.get(number) ?? []), again.body]);
    const isReplayed = again.headers['idempotency-replayed'] === 'true';
    claim(isReplayed && answers.size === 1, `submission ${number} has ${answers.size} answers`);
    claim(seen.get(number)?.length === keys.length, `submission ${number} was sent after its answer`);
  }
  violations.push(...(await counted.end()));
  /** `repeated`: extra posts to the sink under the same key. */
  return { violations, tries, repeated: outbound - sent, ...calm, statuses };
}
