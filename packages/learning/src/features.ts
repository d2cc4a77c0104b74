/** The features of messages to learn from, without those that are much like another. */
import { buckets, featuresOf, type Seeds } from '@form-relay/spam/lists/features';
import type { Marked } from './learn.ts';

/** A marked message, as the model learns it. */
export interface Lesson {
  readonly id: string;
  readonly isSpam: boolean;
  /** Milliseconds since the epoch, both. */
  readonly at: number;
  readonly markedAt: number;
  readonly features: Uint16Array;
}

export interface Lessons {
  /** The oldest first. */
  readonly lessons: readonly Lesson[];
  /** How many were left out, since they are much like one that was marked before. */
  readonly copies: number;
  /** The copies whose mark differs from the earlier one. */
  readonly contradictions: readonly string[];
  /** How many were left out, since they have no text. */
  readonly empty: number;
}

/** Keeps no text: 100,000 messages of 330 characters take about 100 MB. */
export class LessonCollector {
  readonly #all: Lesson[] = [];
  #empty = 0;

  constructor(private readonly seeds: Seeds) {}

  add({ id, texts, isSpam, at, markedAt = at }: Marked): void {
    const features = featuresOf(texts, this.seeds);
    if (features.length === 0) this.#empty += 1;
    else this.#all.push({ id, isSpam, at, markedAt, features });
  }

  lessons(): Lessons {
    return { ...withoutCopies(this.#all), empty: this.#empty };
  }
}

function withoutCopies(all: readonly Lesson[]): Omit<Lessons, 'empty'> {
  const originalOf = copyFinder();
  const lessons: Lesson[] = [];
  const contradictions: string[] = [];
  for (const lesson of all.toSorted((one, other) => one.markedAt - other.markedAt)) {
    const original = originalOf(lesson);
    if (!original) lessons.push(lesson);
    else if (original.isSpam !== lesson.isSpam) contradictions.push(lesson.id);
  }
  const copies = all.length - lessons.length;
  return { lessons: lessons.sort((one, other) => one.at - other.at), copies, contradictions };
}

/** Groups of least numbers (MinHash; Broder, 1997): of texts that share nine tenths of their features, nearly all share one of them. */
const bands = 2;
const marksOfBand = 4;
/** The share of all features of two copies that both have. */
const leastShared = 0.7;

/**
 * Finds the earlier message that one is much like, however it was marked, so that a campaign counts once, and later marks of its
 * copies cannot turn it round. The features that it is given stay in use.
 */
function copyFinder(): (lesson: Lesson) => Lesson | undefined {
  const seen = new Map<number, Lesson>();
  const least = new Int32Array(bands * marksOfBand);
  const isOwn = new Uint8Array(buckets);
  const areCopies = (one: Uint16Array, other: Uint16Array) => {
    let shared = 0;
    for (const feature of one) isOwn[feature] = 1;
    for (const feature of other) shared += isOwn[feature] as number;
    for (const feature of one) isOwn[feature] = 0;
    return shared >= leastShared * (one.length + other.length - shared);
  };
  return (lesson) => {
    const { features } = lesson;
    least.fill(0x7fffffff);
    for (const feature of features) {
      for (let mark = 0; mark < least.length; mark += 1) {
        const mixed = Math.imul(feature ^ (mark * 0x9e3779b1), 0x85ebca6b + mark * 2);
        const place = (mixed ^ (mixed >>> 15)) & 0x7fffffff;
        if (place < (least[mark] as number)) least[mark] = place;
      }
    }
    const keys = Array.from({ length: bands }, (_, band) => {
      let [high, low] = [0, band];
      for (let mark = band * marksOfBand; mark < (band + 1) * marksOfBand; mark += 1) {
        high = Math.imul(high ^ (least[mark] as number), 0x01000193);
        low = Math.imul(low ^ (least[mark] as number), 0x5bd1e995);
      }
      return (high >>> 0) * 0x200000 + ((low >>> 0) & 0x1fffff);
    });
    const candidates = new Set(keys.flatMap((key) => seen.get(key) ?? []));
    const original = [...candidates].find((one) => areCopies(one.features, features));
    if (!original) for (const key of keys) seen.set(key, lesson);
    return original;
  };
}
