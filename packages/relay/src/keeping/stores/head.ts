import type { Kept, KeptOutput } from '../../base/kept.ts';

/** What is known of an entry but its content: what stores write in clear. */
export type KeptHead = Omit<Kept, 'content'>;

/** How long words may be that say why something is owed. */
const mostWords = 1_000;

export function headOf({ content: _, ...head }: Kept): KeptHead {
  const { why } = head;
  if (!why || why.words.length <= mostWords) return head;
  return { ...head, why: { code: why.code, words: why.words.slice(0, mostWords) } };
}

/** What a store gives back may be damaged, of another version, or somebody's who can write there. `undefined`: it is none. */
export function readHead(found: unknown): KeptHead | undefined {
  const head = found as KeptHead | null;
  if (!isMap(head)) return undefined;
  const { id, form, receivedAt, keptAt, tries, why, assigned } = head;
  const output = readOutput(head.output);
  const isSound =
    isId(id) &&
    isText(form) &&
    isTime(receivedAt) &&
    isTime(keptAt) &&
    isCount(tries) &&
    (why === undefined || (isMap(why) && isText(why.code) && isText(why.words)));
  if (!isSound || !output) return undefined;
  return {
    id,
    form,
    output,
    receivedAt,
    keptAt,
    tries,
    why: why && { code: why.code, words: why.words },
    ...(isText(assigned) && { assigned }),
  };
}

/** `undefined`: it is none. */
export function readOutput(found: unknown): KeptOutput | undefined {
  if (!isMap(found)) return undefined;
  const { place, of, type, fingerprint } = found as KeptOutput;
  const isSound = isCount(place) && isCount(of) && isText(type) && isText(fingerprint);
  return isSound ? { place, of, type, fingerprint } : undefined;
}

/** It becomes a header, a boundary and a part of paths. */
export const isId = (found: unknown): found is string => isText(found) && /^[\w.:-]{1,200}$/.test(found);

/** Milliseconds since the epoch that a calendar has. Some clocks count parts of them. */
export const isTime = (found: unknown): found is number =>
  typeof found === 'number' && found >= 0 && found <= 8.64e15;

const isMap = (found: unknown): found is object => typeof found === 'object' && found !== null;
export const isText = (found: unknown): found is string => typeof found === 'string';
const isCount = (found: unknown): found is number => Number.isInteger(found) && (found as number) >= 0;
