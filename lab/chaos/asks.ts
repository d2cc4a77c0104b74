/** Programs that ask people and wait for their answers, while relays are killed: see README.md. */
import { setTimeout as sleep } from 'node:timers/promises';
import { between, chance } from './chance.ts';
import { urlencoded } from './client.ts';
import { type CountedOptions, openCounted } from './counted.ts';
import { claims, counter, eachNumber } from './loop.ts';

export interface AsksOptions extends CountedOptions {
  readonly asks: number;
}

const key = 'frk_asks_0123456789abcdefghijklmnopqrstuvwxyz';
/** An interrupted answer locks its link for a minute and a half. */
const patienceMs = 400_000;

export async function runAsks(options: AsksOptions) {
  const { asks, seed } = options;
  /** Ids and people of the answers received by the output and at `answer_to`, by the number of the ask. */
  const arrived = new Map<string, { readonly ids: Set<string>; readonly people: Set<string> }>();
  let requests = 0;
  const counted = await openCounted(
    options,
    {
      KEY: key,
      HOOK: `whsec_${Buffer.from(key).toString('base64')}`,
      FORM_TOKEN_SECRET: key,
      PUBLIC_URL: 'http://relay',
    },
    (output) => `  order:
    fields: [{name: number, type: number, required: true}, {name: person}]
    keys_env: [KEY]
    keys_limit: off
    ask: {name: Chaos}
    outputs:
      - ${output}
      - {type: asker, hosts: ["${/http:[^"]+(?=\/")/.exec(output)?.[0]}"], sign: {secret: '{{ env "HOOK" }}'}, retries: 0}
`,
    async ({ url, headers }, read) => {
      const body = await read();
      const { number, person } =
        url === '/answers' ? JSON.parse(body).data.values : Object.fromEntries(new URLSearchParams(body));
      const at = `${url} ${number}`;
      const known = arrived.get(at) ?? { ids: new Set(), people: new Set() };
      requests += 1;
      await sleep(between(0, 40, chance(seed, 4, requests)));
      if (chance(seed, 3, requests) < 0.05) return 503;
      arrived.set(at, {
        ids: known.ids.add(String(headers['idempotency-key'])),
        people: known.people.add(person),
      });
      return chance(seed, 5, requests) < 0.05 ? 'hang up' : 200;
    },
  );
  const { violations, claim } = claims();
  const { counts: statuses, count } = counter();
  /** Retries on one relay after another until the answer is one of these. */
  const send = async (what: string, number: number, wanted: readonly number[], path: string, body = '') => {
    const isJson = !path.startsWith('/api/v1/submit');
    const headers = isJson
      ? {
          authorization: `Bearer ${key}`,
          'idempotency-key': `ask-${number}`,
          'content-type': 'application/json',
        }
      : urlencoded;
    const until = performance.now() + patienceMs;
    for (let at = number; performance.now() < until; at += 1) {
      const { status, body: text } = await counted.ask(at, { path, body, headers });
      count(`${what} ${status}`);
      if (wanted.includes(Number(status))) return { status, text };
      await sleep(status === 503 || status === 409 ? 1_000 : 50);
    }
    violations.push(`ask ${number}: ${what} had no answer`);
    return { status: 0, text: '{}' };
  };
  const whole = async (number: number) => {
    const isPosted = chance(seed, 6, number) < 0.5;
    const origin = `http://127.0.0.1:${counted.port}`;
    const wanted = {
      values: { number },
      locked: ['number'],
      reference: `${number}`,
      ...(isPosted && { answer_to: `${origin}/answers` }),
    };
    const asked = JSON.parse(
      (await send('ask', number, [201], '/api/v1/ask/order', JSON.stringify(wanted))).text,
    );
    const fill = new URL(asked.url).searchParams.get('fill') ?? '';
    const waiting = async () => {
      for (;;) {
        const told = JSON.parse(
          (await send('wait', number, [200], `/api/v1/ask/order/${asked.id}?wait=20`)).text,
        );
        if (!['open', 'pending'].includes(told.state)) return told;
      }
    };
    /** People answer in one browser window, or in two with different answers. */
    const people = chance(seed, 7, number) < 0.2 ? ['Ada', 'Eve'] : ['Ada'];
    const answer = async (person: string, window: number) => {
      const body = new URLSearchParams({ fill, number: '0', person }).toString();
      const { status } = await send('answer', number + window, [200, 403], '/api/v1/submit/order', body);
      return status === 200 ? [person] : [];
    };
    const [told, ...answers] = await Promise.all([waiting(), ...people.map(answer)]);
    const output = arrived.get(`/ ${number}`);
    const asker = isPosted ? arrived.get(`/answers ${number}`) : undefined;
    const says = `ask ${number}: `;
    claim(told.state === 'answered', `${says}the asker reads ${told.state}`);
    claim(
      output?.ids.size === 1 && output.people.size === 1,
      `${says}${output?.ids.size ?? 0} answers came to the output`,
    );
    const [person] = output?.people ?? [];
    const read = isPosted ? [...(asker?.people ?? [])].join() : told.values?.person;
    claim(
      read === person && (!isPosted || asker?.ids.size === 1),
      `${says}the asker has ${read}, the output ${person}`,
    );
    return answers.flat().length;
  };
  let acknowledged = 0;
  await eachNumber(asks, options, async (number) => {
    const thanked = await whole(number + 1);
    acknowledged += thanked;
  });
  const calm = await counted.calm();
  violations.push(...(await counted.end()));
  return {
    violations,
    acknowledged,
    answered: [...arrived.keys()].filter((one) => one.startsWith('/ ')).length,
    ...calm,
    statuses,
  };
}
