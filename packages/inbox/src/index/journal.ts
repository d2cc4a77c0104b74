/** The journal's lines: which facts they tell, and where they stand. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalLine } from '@form-relay/relay/base';
import type { State } from '../api.ts';

export interface JournalFacts {
  /** `undefined`: the journal has nothing on it. */
  readonly state: State | undefined;
  readonly isDoubted: boolean;
  /** The types of its outputs. */
  readonly types: readonly string[];
  readonly doneMs: number | undefined;
  readonly isLate: boolean;
}

/** @param lines Of one submission, in their order. */
export function journalFacts(lines: readonly string[]): JournalFacts {
  let state: State | undefined;
  let isDoubted = false;
  let isLate = false;
  let doneMs: number | undefined;
  const results = new Map<number, string>();
  const types = new Set<string>();
  for (const text of lines) {
    const line = readLine(text);
    if (!line || line.kind === 'stats') continue;
    if (line.kind === 'submission') {
      state = stateOfResult(line.result);
      if (line.doubt && line.doubt.score > 0) isDoubted = true;
      doneMs = line.ms;
    }
    const deliveries = line.kind === 'submission' ? (line.deliveries ?? []) : [line];
    for (const { output, type, result, attempts = 1 } of deliveries) {
      results.set(output, result);
      if (result !== 'skipped') types.add(type);
      if (result === 'delivered' && (attempts > 1 || line.kind === 'delivery')) isLate = true;
    }
    if (line.kind === 'delivery' && line.result === 'delivered') doneMs = line.age_ms ?? doneMs;
  }
  const all = [...results.values()].filter((result) => result !== 'skipped' && result !== 'deleted');
  if (state === undefined || state === 'delivered' || state === 'kept' || state === 'failed') {
    if (all.some((result) => ['kept', 'waiting', 'aside'].includes(result))) state = 'kept';
    else if (all.includes('failed')) state = 'failed';
    else if (all.length > 0) state = 'delivered';
    else if (results.size > 0 && [...results.values()].includes('deleted')) state = 'failed';
  }
  return { state, isDoubted, types: [...types], doneMs, isLate };
}

function stateOfResult(result: string): State {
  if (result === 'delivered' || result === 'kept' || result === 'aside' || result === 'dropped')
    return result;
  // Refused by a check, so that nothing was delivered and the visitor was told, or a captcha failed.
  return result === 'captcha_failed' || result === 'challenged' ? 'dropped' : 'failed';
}

export function readLine(text: string): JournalLine | undefined {
  try {
    const line = JSON.parse(text) as JournalLine;
    const isRight =
      ['submission', 'delivery', 'stats'].includes(line.kind) &&
      typeof line.form === 'string' &&
      !Number.isNaN(Date.parse(line.at)) &&
      (line.kind === 'stats' || typeof line.id === 'string') &&
      (line.kind !== 'submission' ||
        (typeof line.result === 'string' && isListOfDeliveries(line.deliveries))) &&
      (line.kind !== 'delivery' || isDelivery(line));
    return isRight ? line : undefined;
  } catch {
    return undefined;
  }
}

const isListOfDeliveries = (list: unknown) =>
  list === undefined || (Array.isArray(list) && list.every(isDelivery));

const isDelivery = (one: { output?: unknown; type?: unknown; result?: unknown } | null) =>
  one !== null &&
  Number.isInteger(one.output) &&
  typeof one.type === 'string' &&
  typeof one.result === 'string';

const fileOfDay = /^\d{4}-\d\d-\d\d-.+\.jsonl$/;
const mostBytes = 1_048_576;

/**
 * New lines of all files in a folder. A line without its end is read when it has one.
 *
 * @param known How many bytes of each file were read; changed.
 */
export function* newLines(folder: string, known: Map<string, number>): Generator<readonly string[]> {
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
      known.set(name, from);
      yield bytes.toString('utf8', 0, end - 1).split('\n');
    }
    known.set(name, from);
  }
}
