/** Tokens of requests whose signature covers nothing else. Each stands for the event with which it came first. */

import { createHash } from 'node:crypto';
import type { Counter } from '@form-relay/capacity/counters/counter';
import type { Services } from '@form-relay/core/index';
import { parseJson } from '@form-relay/core/kit';

/** Longer than requests are taken (`isTimely`). */
const rememberedMs = 26 * 3_600_000;

/** There are 256 parts, by how a digest begins. */
const mostInPart = 400;

export interface SignedToken {
  readonly token: string;
  readonly event: string;
}

/** Whether the token is new, or comes with the same event again. Rejects with a `ClientError` if the store fails. */
export async function isFirstUse(
  { token, event }: SignedToken,
  counter: Pick<Counter, 'change'>,
  { now }: Pick<Services, 'now'>,
): Promise<boolean> {
  const [key, print] = [digestOf(token), digestOf(event)];
  let isFirst = true;
  await counter.change(`bounces/token-${key.slice(0, 2)}`, (text) => {
    const at = now();
    const used = usedIn(text).filter(([, , usedAt]) => at - usedAt < rememberedMs);
    const known = used.find(([one]) => one === key);
    isFirst = known === undefined || known[1] === print;
    return known ? text : JSON.stringify([...used.slice(1 - mostInPart), [key, print, at]]);
  });
  return isFirst;
}

type Used = readonly [key: string, print: string, at: number];

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 20);

/** A damaged text counts as empty: it must not hold up events. */
const usedIn = (text = '[]'): readonly Used[] =>
  [parseJson(text)].flat().filter((one): one is Used => Array.isArray(one));
