import { type HttpSink, type HttpSinkOptions, httpSink, relayWith } from '../../../test/support/index.ts';
import type { Answer, TestRelay, TestRelayOptions } from '../../../test/support/relay.ts';
import { tempFolder } from '../../../test/support/temp_folder.ts';
import type { Counter } from '../../capacity/src/counters/counter.ts';
import type { Plugin } from '../../core/src/plugin.ts';
import { feature } from '../../core/src/plugin.ts';
import type { Services } from '../../core/src/services.ts';

export const billing = 'frk_billing_0123456789ABCDEFGHIJKLMNOPQR';
export const shop = 'frk_shop_abcdefghijklmnopqrstuvwxyz012345';
export const env = { KEY_BILLING: billing, KEY_SHOP: shop };

/** With a key of `null`, no key is sent. */
interface Sending {
  readonly key?: string | null;
  /** The `Idempotency-Key`. */
  readonly once?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: string;
}

export interface Keyed extends TestRelay {
  readonly sink: HttpSink;
  readonly place: string;
  /** Sends JSON, as a server does, and asks for problem details. */
  send(values?: object | string, sending?: Sending): Promise<Answer>;
  /** Starts another process with the same store and sink. */
  another(options?: Partial<TestRelayOptions>): Promise<Keyed>;
}

interface KeyedOptions extends Partial<Omit<TestRelayOptions, 'config'>> {
  /** Keys of the form in YAML, one per line. */
  readonly keys?: string;
  readonly fields?: string;
  /** Top-level keys; `$place` is a folder. */
  readonly top?: string;
  readonly sink?: HttpSinkOptions;
}

/**
 * A relay with a form `order`, which servers may send with either of two keys, and a form `other`, which
 * accepts only the second.
 */
export async function keyed({
  keys = '',
  fields = '{name: name, required: true}',
  top = 'counted_in: $place',
  sink: sinkOptions,
  ...options
}: KeyedOptions = {}): Promise<Keyed> {
  const sink = await httpSink(sinkOptions);
  const place = tempFolder();
  const outputs = `outputs: [{type: http_post, url: "${sink.origin}/", mapping: "*", retries: 0}]`;
  const config = [
    top.replaceAll('$place', place),
    'forms:',
    '  order:',
    `    fields: [${fields}]`,
    `    ${outputs}`,
    '    keys_env: [KEY_BILLING, KEY_SHOP]',
    ...keys.split('\n').map((line) => `    ${line}`),
    '  other:',
    `    fields: [${fields}]`,
    `    ${outputs}`,
    '    keys_env: [KEY_SHOP]',
  ].join('\n');
  const open = async (more: Partial<TestRelayOptions>): Promise<Keyed> => {
    const relay = await relayWith({ config, env, ...options, ...more });
    return {
      ...relay,
      sink,
      place,
      send: (values = { name: 'Ada' }, { key = billing, once, headers, form = 'order' } = {}) =>
        relay.submit(form, typeof values === 'string' ? values : JSON.stringify(values), {
          'content-type': 'application/json',
          accept: 'application/problem+json',
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(once !== undefined && { 'idempotency-key': once }),
          ...headers,
        }),
      another: (yetMore = {}) => open({ ...more, ...yetMore }),
    };
  };
  return open({});
}

/** The `Idempotency-Key` headers that the sink received. */
export const outbound = ({ sink }: Keyed) => sink.requests.map(({ headers }) => headers['idempotency-key']);

/** Replaces a process's own counter by another one. */
export const counting = (replace: (own: Counter) => Counter | Promise<Counter>): Plugin => ({
  name: 'counting',
  features: [
    feature({
      name: 'counting',
      after: ['counters'],
      before: ['keys'],
      configure: ({ provided }) => {
        const counters = provided.get('counters');
        const open = counters?.counter;
        if (open)
          Object.assign(counters, { counter: async (services: Services) => replace(await open(services)) });
        return undefined;
      },
    }),
  ],
});

/** A counter whose text changes the test controls; the rest is unchanged. */
export const changing = (own: Counter, change: Counter['change']): Counter =>
  new Proxy(own, {
    get: (target, name) => {
      const member = name === 'change' ? change : Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
