import { clientNetwork, readAddress } from '@form-relay/base/networks';
import { sketchOf } from '../lists/sketch.ts';
import type { Noted } from '../score/texts.ts';
import { hostsOf } from './hosts.ts';
import { typedIn, wordsOf } from './own_words.ts';
import { type SignalInput, type SignalResult, signal } from './signal.ts';

export const repeated = signal({
  name: 'repeated',
  summary:
    'A text of six words or more much like one that somebody else sent through the same form within three days, whatever its numbers and links: one such is half of it, three are all of it. Without a link or an address in it, it is three quarters at most; half, if it is short.',
  weight: 4,
  score:
    () =>
    (seen, { texts }) => {
      const { formId, fields, address, receivedAt } = seen;
      const text = comparedText(seen);
      // Initial values come from the owner, and most visitors leave them unchanged.
      const sketch = sketchOf(text, fields.flatMap(({ value = [] }) => value).join('\n'));
      if (!sketch) return undefined;
      const client = clientOf(address);
      const noted = texts.note({ at: receivedAt, form: formId, client, sketch });
      return resultOf(noted, mostOf(text, seen));
    },
});

/** A longer name is none. */
const longestName = 60;

/** All text that visitors typed, in any field, without their names. */
const comparedText = (seen: SignalInput): string =>
  typedIn(seen)
    .filter(
      ({ field, asksFor, text }) => field.type !== 'tel' && (asksFor !== 'name' || text.length > longestName),
    )
    .map(({ text }) => text)
    .join('\n');

const hasTarget = /:\/\/|www\.|@/i;

const shortWords = 24;

/** People send the same request as others, and none of them wants to be found elsewhere. */
const mostOf = (text: string, seen: SignalInput): number =>
  hasTarget.test(text) || hostsOf(seen).all.size > 0 ? 1 : wordsOf(seen).length < shortWords ? 0.5 : 0.75;

function resultOf({ against, undo }: Noted, most: number): SignalResult {
  if (against === 0) return { undo };
  const others = against === 1 ? 'another' : `${against} others`;
  return {
    score: Math.min(most, (against + 1) / 4),
    why: `much like ${others} within three days`,
    undo,
  };
}

/** An IPv4 address is one client, however it is written here: in the one way in which the relay writes it. */
function clientOf(address = ''): string {
  const parsed = address.includes(':') ? readAddress(address) : undefined;
  return parsed ? clientNetwork(parsed) : address;
}
