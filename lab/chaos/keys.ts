/** Servers that try each submission under one `Idempotency-Key` until it is acknowledged, while relays are killed: see README.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { between, chance } from './chance.ts';
import { ask } from './client.ts';
import { type CountedOptions, openCounted } from './counted.ts';
import { claims, counter, eachNumber } from './loop.ts';
import type { Copy } from './relays.ts';

export interface KeysOptions extends CountedOptions {
  readonly submissions: number;
}

const senders = ['KEY_BILLING', 'KEY_SHOP'] as const;
const keyOf = (sender: string) => `frk_${sender}_0123456789abcdefghijklmnopqrstuvwxyz`;

/** A try that is cut off holds its key for half a minute; for longer than this, something is wrong. */
const patienceMs = 120_000;

export async function runKeys(options: KeysOptions) {
  const { submissions, seed } = options;
  /** The `Idempotency-Key`s under which each submission came to the sink, in order. */
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
    // Takes most, after a while, and then hangs up or fails now and then.
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
  const { copies } = counted;
  const order = (copy: number, number: number) =>
    ask({
      port: (copies[copy % copies.length] as Copy).relay.port,
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
  /** Tries until it is acknowledged, at one relay after the other. */
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
  await eachNumber({ count: submissions, atOnce: options.connections }, async (number) => {
    // Two servers have some of them.
    const isTwice = chance(seed, 11, number) < 0.2;
    await Promise.all([send(number, number), ...(isTwice ? [send(number, number + 1)] : [])]);
  });
  const calm = await counted.calm();

  let outbound = 0;
  for (let number = 0; number < submissions; number += 1) {
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
  /** `repeated`: posts to the sink beyond the first, each under the same key. */
  return { violations, tries, repeated: outbound - submissions, ...calm, statuses };
}
