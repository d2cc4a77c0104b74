/** The submissions of an inbox's run: how each is to end follows from its number. */
import type { State } from '../../apps/inbox/src/api.ts';
import { chance, choose } from './chance.ts';

interface Plan {
  readonly name: string;
  /** How many submissions of a hundred, about. */
  readonly weight: number;
  readonly form: 'now' | 'failed' | 'always' | typeof stuckForm | 'gates';
  /** The state if it was answered with 200, once all that can be delivered is. */
  readonly ends: State;
  readonly fields?: Readonly<Record<string, string>>;
  /** How many attempts its sink refuses before it takes one. Default: none. */
  readonly refused?: number;
}

/** The form whose output takes nothing. */
export const stuckForm = 'stuck';

const advert = Array.from({ length: 10 }, (_, nth) => `https://shop-${nth}.example/`).join(' ');

const plans: readonly Plan[] = [
  { name: 'delivered at once', weight: 52, form: 'now', ends: 'stored' },
  { name: 'failed', weight: 3, form: 'now', ends: 'stored', refused: Infinity },
  { name: 'kept if it failed', weight: 12, form: 'failed', ends: 'stored' },
  { name: 'kept, then delivered', weight: 8, form: 'failed', ends: 'stored', refused: 1 },
  { name: 'kept first', weight: 8, form: 'always', ends: 'stored' },
  { name: 'kept first, delivered late', weight: 3, form: 'always', ends: 'stored', refused: 2 },
  { name: 'kept until its owner acts', weight: 3, form: stuckForm, ends: 'kept', refused: Infinity },
  { name: 'set aside', weight: 5, form: 'gates', ends: 'stored', fields: { text: advert } },
  { name: 'a bot', weight: 4, form: 'gates', ends: 'dropped', fields: { website: 'x' } },
  { name: 'invalid', weight: 2, form: 'gates', ends: 'stored', fields: { email: 'none' } },
];

export const planOf = (seed: number, n: number): Plan => choose(plans, chance(seed, n, 1));

export const bodyOf = (seed: number, n: number): string =>
  new URLSearchParams({ n: String(n), ...planOf(seed, n).fields }).toString();

export interface Folders {
  readonly archive: string;
  readonly kept: string;
}

/** @param sinks Where sinks listen: `stuck` takes nothing, and has a port of its own so that no other waits with it. */
export function configOf({ archive, kept }: Folders, sinks: { hook: number; stuck: number }): string {
  const folder = `{type: folder, path: ${archive}}`;
  const post = (port: number, more = '') =>
    `{type: http_post, url: "http://127.0.0.1:${port}/", mapping: "*", timeout: 2s, retries: 0${more}}`;
  const form = (name: string, keys: string, outputs: readonly string[]) =>
    `  ${name}: {fields: [{name: n, required: true}, {name: email, type: email}, {name: text}], ${keys}outputs: [${outputs.join(', ')}]}`;
  return `keep: {in: ${kept}, for: 300d}
forms:
${form('now', '', [folder, post(sinks.hook)])}
${form('failed', 'keep: failed, ', [folder, post(sinks.hook)])}
${form('always', 'keep: always, ', [folder, post(sinks.hook)])}
${form(stuckForm, 'keep: failed, ', [folder, post(sinks.stuck)])}
${form('gates', 'spam: {honeypot: website, keep_dropped: 30d, doubt: {aside: 9}, signals: {links: 20}}, ', [
  folder.replace('}', ', aside: also}'),
  post(sinks.hook),
])}
`;
}
