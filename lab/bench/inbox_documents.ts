/** The archive of the inbox's bench: any number of submissions, 2,000 a day, the same at each run. */
import { documentName, folderOf, stemOf } from '../../packages/relay/src/transports/archive/archive_entry.ts';
import { chance } from '../chaos/chance.ts';

const aDay = 2_000;
const dayMs = 86_400_000;
export const begin = Date.UTC(2025, 0, 1);

/** 20,000 words: the nth is used about as often as in a language, by Zipf's law. */
export const vocabulary = Array.from({ length: 20_000 }, (_, nth) => (nth * 7_919 + 123_457).toString(36));

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let drawn = 0;
  return () => {
    drawn += 1;
    return chance(seed, drawn);
  };
}

export const wordOf = (random: () => number): string => vocabulary[Math.floor(20_000 ** random()) - 1] ?? '';

export const timeOf = (nth: number): number => begin + Math.floor(nth / aDay) * dayMs + (nth % aDay) * 40_000;

export const idOf = (nth: number): string => `7d0f6d0e-3c1a-4a53-9c0e-${String(nth).padStart(12, '0')}`;

/** @param receivedAt Milliseconds since the epoch. */
export function documentAt(nth: number, receivedAt = timeOf(nth)) {
  const random = randomFrom(nth);
  const word = () => wordOf(random);
  const id = idOf(nth);
  const place = { form: 'contact', receivedAt, jobId: `${id}-0` };
  const field = (name: string, value: string) => ({ name, label: name, values: [value] });
  const document = {
    version: 1,
    id,
    form: 'contact',
    received_at: new Date(receivedAt).toISOString(),
    fields: [
      field('name', `Ada ${word()}`),
      field('email', `ada${nth}@example.org`),
      field('message', Array.from({ length: 40 }, word).join(' ')),
    ],
    files: [],
  };
  return {
    folder: folderOf(place),
    name: documentName(stemOf(place), false),
    text: JSON.stringify(document),
  };
}

/** The journal's line of one that was delivered. */
export const lineAt = (nth: number): string =>
  `${JSON.stringify({
    kind: 'submission',
    at: new Date(timeOf(nth)).toISOString(),
    id: idOf(nth),
    form: 'contact',
    result: 'delivered',
    ms: 31,
    deliveries: [
      { output: 0, type: 'folder', result: 'delivered', attempts: 1, ms: 4 },
      { output: 1, type: 'email', result: 'delivered', attempts: 1, ms: 28 },
    ],
  })}\n`;
