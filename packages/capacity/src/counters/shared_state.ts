/** State of features, in the store that counts. */
import { createHash } from 'node:crypto';
import { feature } from '@form-relay/core/plugin';
import { failed } from '@form-relay/stores/failures';
import type { SharedState, StateEntry } from '@form-relay/stores/store';
import { nameInStore } from '../names.ts';
import type { Counters } from './index.ts';

/** A store has 256 texts for each form, so that none of them grows large. */
const mostBytes = 300_000;

/** When an entry lapses, in milliseconds since the epoch, and its text, by the hash of its key. */
type Written = Readonly<Record<string, readonly [until: number, text: string]>>;

export const sharedState = feature({
  name: 'shared_state',
  after: ['counters'],
  configure: ({ formId, provided }) => {
    const counters = provided.get('counters');
    return counters && { provides: stateIn(formId, counters) };
  },
});

function stateIn(form: string, counters: Counters): SharedState {
  const change: SharedState['change'] = async ({ services }, key, make) => {
    const hash = createHash('sha256').update(key).digest('hex');
    const at = `state/${nameInStore(form)}/${hash.slice(0, 2)}`;
    const name = hash.slice(2, 34);
    const counter = await counters.counter(services);
    let after: StateEntry | undefined;
    await counter.change(at, (text) => {
      const { [name]: known, ...others } = readEntries(at, text, services.now());
      const before = known && { until: known[0], text: known[1] };
      after = make(before);
      if (after?.text === before?.text && after?.until === before?.until) return text;
      const entry = after && [Math.min(after.until, Number.MAX_SAFE_INTEGER), after.text];
      const written = JSON.stringify({ ...others, ...(entry && { [name]: entry }) });
      if (after && Buffer.byteLength(written) > mostBytes)
        throw failed('counts_too_many', { bytes: mostBytes });
      return written;
    });
    return after;
  };
  return { change, read: (by, key) => change(by, key, (entry) => entry) };
}

/** Without entries that have lapsed. */
function readEntries(at: string, text: string | undefined, now: number): Written {
  try {
    const entries = Object.entries(JSON.parse(text ?? '{}') as Written);
    return Object.fromEntries(entries.filter(([, [until]]) => until > now));
  } catch {
    throw failed('counts_damaged', { at });
  }
}
