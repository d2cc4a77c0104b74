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

export const filled = (config: string, values: Readonly<Record<string, string>>): string =>
  config.replaceAll(/\$(HERE|SINK|SMTP|KEY)\b/g, (_, name: string) => values[name] ?? '');
