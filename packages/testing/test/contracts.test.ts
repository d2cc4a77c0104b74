/** The relay's own outputs and fields pass the checks that it offers for plug-ins. */

import type { FieldType } from '@form-relay/core/fields/field';
import type { Http, PlainRequest } from '@form-relay/core/http/bound_http';
import type { Html, Plugin } from '@form-relay/core/index';
import { type Kit, sharedKit } from '@form-relay/plugin-host/kit';
import { featureContract } from '../src/feature_contract.ts';
import { fieldContract } from '../src/field_contract.ts';
import { httpDestination, outputContract } from '../src/output_contract.ts';
import { signalContract } from '../src/signal_contract.ts';
import type { Check } from '../src/try_relay.ts';

const hold = (checks: readonly Check[]) => {
  for (const { name, run } of checks) test.concurrent(name, run);
};

describe('outputs', () => {
  const destination = httpDestination({
    keys: (port) => ({ url: `http://127.0.0.1:${port}` }),
    text: (body) => decodeURIComponent(body),
  });
  for (const type of ['http_post', 'webhook']) hold(outputContract({ type, destination }));
});

describe('fields', () => {
  hold(fieldContract({ type: 'email', accepts: ['ada@example.org'], rejects: ['ada@', '@example.org'] }));
  hold(fieldContract({ type: 'date', accepts: ['2026-02-28'], rejects: ['2026-02-30', 'tomorrow'] }));
  hold(fieldContract({ type: 'time', accepts: ['09:30'], rejects: ['25:00'] }));
});

describe('signals', () => {
  const contract = {
    name: 'shouting',
    keys: { letters: 5 },
    fields: [{ name: 'message', type: 'textarea' }],
    finds: [{ message: 'GOOD MORNING' }],
    passes: [{ message: 'Good morning' }],
  };
  const shouting = (score: (capitals: number) => number | Promise<number>) => (kit: Kit) => ({
    name: 'shouting',
    signals: [
      kit.signal({
        name: 'shouting',
        summary: 'Capitals.',
        weight: 3,
        keys: { letters: kit.key.required('How many.', kit.key.whole()) },
        score: async ({ letters }, { values }) => {
          const capitals = kit.values.first(values, 'message').replaceAll(/[^A-Z]/g, '').length;
          return capitals < letters
            ? undefined
            : { score: await score(capitals), why: `${capitals} capitals` };
        },
      }),
    ],
  });
  hold(signalContract({ ...contract, plugin: shouting(() => 1) }));

  test('a signal that throws, or never settles, decides nothing', async () => {
    const broken = [() => Promise.reject(new TypeError('broken')), () => new Promise<number>(() => {})];
    for (const score of broken) {
      const [finds, ...others] = signalContract({ ...contract, plugin: shouting(score) });
      await expect(finds?.run()).rejects.toThrow('the signal gives no points');
      for (const { run } of others.slice(0, 1)) await run();
    }
  });
});

describe('a contract detects', () => {
  const plugged = (unit: (kit: Kit) => object) => (kit: Kit) =>
    ({ name: 'faulty', messages: { en: { choose_another: 'Choose another.' } }, ...unit(kit) }) as Plugin;
  /** Fails unless one of these checks fails with a message that matches. */
  const caught = async (checks: readonly Check[], says: RegExp) => {
    const broken: string[] = [];
    for (const { name, run } of checks)
      await run().catch((error: Error) => broken.push(`${name}: ${error.message}`));
    expect(broken.join('\n')).toMatch(says);
  };

  type Send = (
    delivery: { id: string; payload: unknown },
    call: { signal: AbortSignal; http: Http },
    url: string,
    token: unknown,
  ) => Promise<unknown>;
  const post = (url: string, id: string, payload: unknown, signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: { 'idempotency-key': id },
      signal: signal ?? null,
    });
  const { retry, fail } = sharedKit();
  const swallows: Send = ({ id, payload }, { signal }, url) => post(url, id, payload, signal);
  const renames: Send = async ({ payload }, { signal }, url) => {
    const { status } = await post(url, crypto.randomUUID(), payload, signal);
    if (status === 503) throw retry('busy');
    if (status !== 200) throw fail('rejected');
  };
  const comesLate: Send = async ({ id, payload }, _, url) => {
    const answered = post(url, id, payload).then(({ ok }) => ok);
    const timer = new Promise((resolve) => setTimeout(resolve, 500));
    if (await Promise.race([answered, timer])) return;
    await post(url, id, payload);
  };
  const quotes: Send = async ({ payload }) => Promise.reject(fail(`cannot send ${JSON.stringify(payload)}`));
  const unrendered: Send = ({ payload }, { http }, url, token) =>
    http.send({ url, headers: { authorization: `Bearer ${token}` }, json: payload });
  const misspells: Send = ({ payload }, { http }, url) =>
    http.send({ url, pth: 'api/leads', json: payload } as PlainRequest);
  const outputs: readonly [string, Send, RegExp][] = [
    ['a failure that is swallowed', swallows, /fails if the destination rejects/],
    ['a new idempotency key with each try', renames, /the tries of one delivery used the keys/],
    ['a delivery after the signal aborted', comesLate, /nothing may arrive after the signal/],
    ['a submitted value in an error', quotes, /the log holds Ada/],
    ['a delivery in a dry run', swallows, /delivers nothing in a dry run/],
    ['a key that is sent without template(key)', unrendered, /use template\(key\)/],
    [
      'a part of a request that nothing reads',
      misspells,
      /has an unknown member .*pth.* \(did you mean path\?\)/,
    ],
  ];
  test.concurrent.each(outputs)('%s', async (_, send, says) => {
    const plugin = plugged((kit) => ({
      outputs: [
        kit.output({
          type: 'faulty',
          summary: 'Is faulty.',
          keys: {
            url: kit.key.required('Where to.', kit.key.httpUrl()),
            token: kit.key.required('The key for it.', kit.key.secret()),
          },
          open: ({ url, token }) => ({
            target: url,
            send: (delivery, call) => send(delivery, call, String(url), token) as Promise<undefined>,
          }),
        }),
      ],
    }));
    const keys = (port: number) => ({ url: `http://127.0.0.1:${port}`, token: '{{ env "TOKEN" }}' });
    const contract = { plugin, type: 'faulty', destination: httpDestination({ keys }), env: { TOKEN: 'x' } };
    await caught(outputContract(contract), says);
  });

  type Control = (kit: Kit, id: string, value: string) => Html;
  const whole: Control = (kit, id, value) => kit.html.tag`<input id="${id}" name="it" value="${value}">`;
  const nameless: Control = (kit, _, value) => kit.html.tag`<input name="it" value="${value}">`;
  const empty: Control = (kit, id) => kit.html.tag`<input id="${id}" name="it">`;
  const growing: Partial<FieldType> = { normalizeValue: (_, value) => `${value}!` };
  const refusing = (code: string): Partial<FieldType> => ({
    checkValue: (_, value) => (value === 'bad' ? { code } : undefined),
  });
  const fields: readonly [string, Partial<FieldType>, Control, RegExp][] = [
    ['a control without an id', {}, nameless, /needs an id/],
    ['a control that loses what was typed', {}, empty, /good is lost/],
    ['a value that each reading changes', growing, whole, /which normalizes to something else/],
    ['a code without a text', refusing('no_words'), whole, /a code has no text/],
    [
      'a promise in place of a mistake',
      { checkValue: (async () => undefined) as never },
      whole,
      /must be synchronous/,
    ],
    ['words that are no list', { words: () => 'good' as never }, whole, /expected a list of texts/],
  ];
  test.concurrent.each(fields)('%s', async (_, members, control, says) => {
    const plugin = plugged((kit) => ({
      fields: [
        kit.field({
          type: 'faulty',
          summary: 'Is faulty.',
          keys: {},
          ...refusing('choose_another'),
          ...members,
          control: (_, { id, values }) => control(kit, String(id), values[0] ?? ''),
        }),
      ],
    }));
    await caught(fieldContract({ plugin, type: 'faulty', accepts: ['good'], rejects: ['bad'] }), says);
  });

  test('a feature that counts what was never delivered', async () => {
    const seen = new Set<string>();
    const plugin = plugged((kit) => ({
      messages: { en: { seen_before: 'This was sent before.' } },
      features: [
        kit.feature({
          name: 'faulty',
          keys: { form: { faulty: kit.key.optional('Takes each once.', kit.key.boolean()) } },
          configure: ({ form }) =>
            form.faulty
              ? {
                  afterValidation: kit.guard(({ values }) => {
                    const value = values.get('it')?.[0] ?? '';
                    if (seen.has(value)) return kit.refused(422, 'seen_before');
                    seen.add(value);
                    return undefined;
                  }),
                }
              : undefined,
        }),
      ],
    }));
    const form = { fields: [{ name: 'it' }], faulty: true };
    const passes = [{ it: 'ada' }];
    await caught(featureContract({ plugin, name: 'faulty', form, passes, stops: [] }), /tries again reads/);
  });
});
