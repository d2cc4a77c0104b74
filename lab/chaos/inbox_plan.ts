/** The submissions of the inbox run: the number of each determines its intended result. See inbox.yaml. */
import type { State } from '../../apps/inbox/src/api.ts';
import { readYaml } from '../../scripts/data.ts';
import { chance, choose } from './chance.ts';

/** The form whose output accepts nothing. */
export const stuckForm = 'stuck';

interface Plan {
  readonly name: string;
  readonly weight: number;
  readonly form: 'now' | 'failed' | 'always' | typeof stuckForm | 'gates';
  readonly ends: State;
  readonly fields?: Readonly<Record<string, string>>;
  readonly refused?: number;
}

const ADVERT = Array.from({ length: 10 }, (_, nth) => `https://shop-${nth}.example/`).join(' ');
const read = (words: Readonly<Record<string, string | number>> = {}) =>
  readYaml<{ readonly plans: readonly Plan[]; readonly config: object }>(
    new URL('inbox.yaml', import.meta.url),
    { ADVERT, ...words },
  );

const { plans } = read();
export const planOf = (seed: number, n: number): Plan => choose(plans, chance(seed, n, 1));

export const bodyOf = (seed: number, n: number): string =>
  new URLSearchParams({ n: String(n), ...planOf(seed, n).fields }).toString();

export interface Folders {
  readonly archive: string;
  readonly kept: string;
}

export const configOf = ({ archive, kept }: Folders, sinks: { hook: number; stuck: number }): string =>
  JSON.stringify(read({ ARCHIVE: archive, KEPT: kept, HOOK: sinks.hook, STUCK: sinks.stuck }).config);
