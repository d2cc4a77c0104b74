import { type Look, type Seen, signal } from './signal.ts';

export const behaviour = signal({
  name: 'behaviour',
  summary:
    'How the form was filled in, where `behaviour: true` has its script count that: without any key, paste or focus, or faster than anybody types.',
  weight: 3,
  isDefault: true,
  needsBehaviour: true,
  keys: {},
  look:
    () =>
    ({ behaviour }: Seen): Look => {
      if (!behaviour) return undefined;
      const { counted, isSolved } = behaviour;
      if (counted === '') {
        // Without its script, the form counts nothing: that speaks against nobody. A solution takes a script, which may
        // be one of the site's own.
        return isSolved ? { strength: 0.5, why: 'a puzzle was solved, and nothing counted' } : undefined;
      }
      const counts = readCounts(counted);
      if (!counts) return { strength: 1, why: 'what the form’s script counts was made up' };
      const { k: keys = 0, p: pastes = 0, f: focused = 0, c: filled = 0, t: ms = 0 } = counts;
      const isTyped = keys > fewKeys + keysToFill * (focused + filled);
      if (isTyped && keys * 1_000 > fastest * ms)
        return { strength: 1, why: 'typed faster than anybody can' };
      // A form that came back, or that a link filled in, may be sent as it is.
      if (keys + pastes + focused + filled === 0)
        return { strength: 0.5, why: 'sent without any key or focus' };
      return undefined;
    },
});

/** Fewer may come from one that was held down. */
const fewKeys = 20;
/** Some password managers press keys, too: a few in each field that they fill in. */
const keysToFill = 5;
/** Keys a second: who types fastest has 20, and a key that is held down repeats 30 times. */
const fastest = 50;

/** `v1;k=12;p=1;f=3;t=8500;m=1;c=0` (packages/element/src/guard/behaviour.ts); `undefined` for anything else. */
function readCounts(text: string): Counts | undefined {
  if (text.length > 200 || !shape.test(text)) return undefined;
  const counts: Record<string, number> = {};
  for (const count of text.split(';')) counts[count.slice(0, 1)] = Number(count.slice(2));
  return counts;
}

type Counts = Readonly<Partial<Record<string, number>>>;

const shape = /^v1(?:;[a-z]=\d{1,12})*$/;
