/** The journal's lines: which facts they tell, and where they stand. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAgain, isSetAside, linesOf } from '@form-relay/stored/journal/lines_of';
import type { JournalLine } from '@form-relay/telemetry/journal/lines';
import type { State } from '../api.ts';
import type { Bucket } from './reader.ts';
import type { Seen } from './tables.ts';

export interface JournalFacts {
  /** `undefined`: the journal has nothing on it. */
  readonly state: State | undefined;
  readonly isDoubted: boolean;
  /** The types of its outputs. */
  readonly types: readonly string[];
}

/** @param texts Lines of one submission, in any order. */
export function journalFacts(texts: readonly string[]): JournalFacts {
  let answer: State | undefined;
  let isAside = false;
  let isDoubted = false;
  const results = new Map<number, string>();
  const types = new Set<string>();
  for (const line of linesOf(texts)) {
    if (line.kind === 'submission') {
      answer = answerOf(line.result);
      isAside = !line.restored && isSetAside(line);
      if (line.doubt && line.doubt.score > 0) isDoubted = true;
    }
    for (const { output, type, result } of deliveriesIn(line)) {
      // Sent again, it stays delivered whatever comes of that.
      if (results.get(output) === 'delivered' || (isAgain(line) && result !== 'delivered')) continue;
      results.set(output, result);
      if (result !== 'skipped') types.add(type);
    }
  }
  return { state: stateOf(answer, isAside, [...results.values()]), isDoubted, types: [...types] };
}

const deliveriesIn = (line: JournalLine) => (line.kind === 'submission' ? (line.deliveries ?? []) : [line]);

function stateOf(answer: State | undefined, isAside: boolean, results: readonly string[]): State | undefined {
  const isAny = (...some: string[]) => results.some((result) => some.includes(result));
  if (isAny('kept', 'waiting', 'aside')) return 'kept';
  if (isAside) return 'aside';
  if (answer === 'dropped' || answer === 'held') return answer;
  if (isAny('failed', 'deleted')) return 'failed';
  return isAny('delivered') ? 'delivered' : answer;
}

function answerOf(result: string): State {
  switch (result) {
    case 'delivered':
    case 'kept':
    case 'aside':
    case 'dropped':
    case 'held':
      return result;
    // Turned away by a check, as those that are dropped, though the visitor was told.
    case 'captcha_failed':
    case 'challenged':
      return 'dropped';
    default:
      return 'failed';
  }
}

const fileOfDay = /^\d{4}-\d\d-\d\d-.+\.jsonl$/;
const mostBytes = 1_048_576;

/** New lines, and what to note as seen once they are taken in. */
export interface NewLines {
  readonly lines: readonly string[];
  readonly seen: readonly (readonly [name: string, value: number])[];
}

/** New lines of all files, each once it has its end. @param known How many bytes of each file were read. */
export function* newLines(folder: string, known: Pick<Seen, 'get'>): Generator<NewLines> {
  for (const name of readdirSync(folder)
    .filter((name) => fileOfDay.test(name))
    .sort()) {
    const path = join(folder, name);
    const { size } = statSync(path);
    let from = known.get(name) ?? 0;
    // A shorter one is another file.
    if (size < from) from = 0;
    while (from < size) {
      const bytes = Buffer.alloc(Math.min(mostBytes, size - from));
      const file = openSync(path, 'r');
      let length = 0;
      try {
        length = readSync(file, bytes, 0, bytes.length, from);
      } finally {
        closeSync(file);
      }
      const end = bytes.subarray(0, length).lastIndexOf(10) + 1;
      if (end === 0) {
        if (length < mostBytes) break;
        // No line is that long.
        from += length;
        continue;
      }
      from += end;
      yield { lines: bytes.toString('utf8', 0, end - 1).split('\n'), seen: [[name, from]] };
    }
    if (known.get(name) !== from) yield { lines: [], seen: [[name, from]] };
  }
}

const listEveryMs = 30_000;
const dayMs = 86_400_000;
const readAtOnce = 16;
const name = /^(\d{4}-\d\d-\d\d)\/.+\.jsonl$/;

export class FollowedJournalBucket {
  readonly #bucket: Bucket;
  readonly #known: Seen;
  #listedAt = 0;

  /** @param known The objects of the last days that were read. */
  constructor(bucket: Bucket, known: Seen) {
    this.#bucket = bucket;
    this.#known = known;
  }

  /** @param isAll From the first day that may not be read as a whole; else from yesterday on, or after the last object. */
  async *newLines(isAll: boolean): AsyncGenerator<NewLines> {
    const now = Date.now();
    const isWhole = isAll || now - this.#listedAt > listEveryMs;
    if (isWhole) this.#listedAt = now;
    const known = this.#known.names();
    const [first = '', last = ''] = [known[0], known.at(-1)];
    const yesterday = dayOf(now - dayMs);
    const after = isAll ? first.slice(0, 10) : isWhole || last === '' ? yesterday : last;
    for await (const keys of this.#bucket.list('', after)) {
      const added = keys.filter((key) => name.test(key) && this.#known.get(key) === undefined);
      for (let from = 0; from < added.length; from += readAtOnce) {
        const some = added.slice(from, from + readAtOnce);
        const read = await Promise.all(some.map((key) => this.#bucket.read(key)));
        for (const [index, bytes] of read.entries()) {
          const lines = typeof bytes === 'string' ? [] : Buffer.from(bytes).toString().split('\n');
          yield { lines, seen: [[some[index] as string, 1]] };
        }
      }
    }
    if (isWhole) this.#forget(yesterday);
  }

  /** Objects of days that are over: no more come. Those of the last day stay, since they tell what was read. */
  #forget(yesterday: string): void {
    const known = this.#known.names();
    const lastDay = known.at(-1)?.slice(0, 10) ?? '';
    for (const one of known) if (one < yesterday && one.slice(0, 10) < lastDay) this.#known.delete(one);
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
