/** A relay whose clock stands where the fixtures' does. */
import { startRelay, type TestRelay } from '../support/relay.ts';
import { publicUrl, secrets } from './world.ts';

interface Given {
  readonly config: string;
  readonly now: () => number;
  readonly env?: Readonly<Record<string, string>>;
}

export const begin = ({ config, now, env = {} }: Given): Promise<TestRelay> =>
  startRelay({ config, env: { ...secrets, PUBLIC_URL: publicUrl, ...env }, effects: { now } });

/** A server sends an order, each time under the same `Idempotency-Key`. */
export const order = (relay: TestRelay, name: string) =>
  relay.request('/api/v1/submit/orders', {
    method: 'POST',
    body: new URLSearchParams({ name }),
    headers: { authorization: `Bearer ${secrets.KEY_SHOP}`, 'idempotency-key': 'order 1' },
  });

export const filled = (config: string, values: Readonly<Record<string, string>>): string =>
  config.replaceAll(/\$(HERE|SINK|SMTP|KEY)\b/g, (_, name: string) => values[name] ?? '');
