/** The moments at which a form opens and closes: as written, in a time zone, and in words for visitors. */
import * as v from 'valibot';
import { err, ok, type Result } from '../../base/result.ts';
import { isTimeZone } from '../../fields/times/key_time_zone.ts';
import { datetime } from '../../fields/times/typed.ts';
import { offsetOfLocal } from '../../fields/times/zone.ts';
import type { Spelled } from '../../messages/message.ts';
import { dayWords, momentWords } from '../../messages/moment_words.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { read } from '../../schema/issue.ts';
import { text } from '../../schema/kinds.ts';

/** A moment as a config has it. Times are in seconds. */
export interface Written {
  readonly text: string;
  /** Since 1970, as if it were UTC. */
  readonly local: number;
  /** Absent where the time zone decides. */
  readonly offset: number | undefined;
  readonly isDay: boolean;
}

export interface Moment {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** For the owner. */
  readonly told: string;
  readonly words: Spelled;
}

export type Edge = 'opens' | 'closes';

const daySeconds = 86_400;

function writtenAs(found: string): Result<Written, Finding> {
  const pattern =
    /^(\d{4}-\d\d-\d\d)(?:(?:T| +)(\d{1,2}:\d\d(?::\d\d)?) ?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/i;
  const [, day, time, offset] = pattern.exec(found) ?? [];
  if (day === undefined) return err(finding('not_a_moment', [], { found }));
  const local = datetime.read(`${day} ${time ?? '00:00'}`);
  return local === undefined
    ? err(finding('not_a_moment', [], { found }))
    : ok({
        text: found,
        local,
        offset: offset === undefined ? undefined : secondsOf(offset),
        isDay: time === undefined,
      });
}

function secondsOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

export const moment = v.pipe(
  text(),
  read(writtenAs),
  v.metadata({ jsonSchema: { title: 'day, or day and time', type: 'string' } }),
);

/** @param zone Of the form; absent if it names none. */
export function momentOf(
  { text, local, offset, isDay }: Written,
  edge: Edge,
  zone: string | undefined,
): Result<Moment, Finding> {
  if (offset !== undefined) {
    const at = (local - offset) * 1000;
    return ok({ at, told: text, words: wordsOf(at, zone ?? 'UTC') });
  }
  if (zone === undefined) return err(finding('moment_without_zone', [edge]));
  if (isDay) {
    const isEnd = edge === 'closes';
    const told = `${isEnd ? 'the end of ' : ''}${text} (${zone})`;
    return ok({
      at: startOfDay(zone, local + (isEnd ? daySeconds : 0)),
      told,
      words: dayWords(local * 1000),
    });
  }
  const known = offsetOfLocal(zone, local);
  if (known === undefined) return err(finding('moment_skipped', [edge], { found: text, zone }));
  const at = (local - known) * 1000;
  return ok({ at, told: `${text} (${zone})`, words: wordsOf(at, zone) });
}

/** Where clocks go forward at midnight, a day begins at 01:00, which is what midnight was by the offset before. */
const startOfDay = (zone: string, local: number) =>
  (local - (offsetOfLocal(zone, local) ?? offsetOfLocal(zone, local - 3 * 3600) ?? 0)) * 1000;

const wordsOf = (at: number, zone: string) =>
  momentWords(at, zone, at % 60_000 === 0 ? {} : { second: '2-digit' });

/** Mistakes in and between `opens` and `closes` as written, which may have any mistake. */
export function momentProblems(written: Readonly<Partial<Record<Edge, unknown>>>, zone: unknown) {
  const named = typeof zone === 'string' ? zone : undefined;
  // A wrong time zone is reported by itself.
  if (zone !== undefined && (named === undefined || !isTimeZone(named))) return [];
  const momentAt = (edge: Edge) => {
    const found = written[edge];
    const parsed = typeof found === 'string' ? writtenAs(found) : undefined;
    return parsed?.ok ? momentOf(parsed.value, edge, named) : undefined;
  };
  const opens = momentAt('opens');
  const closes = momentAt('closes');
  const wrong = [opens, closes].flatMap((one) => (one && !one.ok ? [one.error] : []));
  return opens?.ok && closes?.ok && closes.value.at <= opens.value.at
    ? [finding('closes_before_opens', ['closes'], { found: written.closes, opens: opens.value.told })]
    : wrong;
}
