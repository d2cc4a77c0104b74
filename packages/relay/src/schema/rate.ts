import * as v from 'valibot';
import { err, ok } from '../base/result.ts';
import type { Schema } from './any_schema.ts';
import { parseDays } from './duration.ts';
import { finding } from './finding.ts';
import { read, wrong } from './issue.ts';

export interface Rate {
  readonly most: number;
  readonly withinMs: number;
}

const mostOfOne = 1_000;
const longestMs = 86_400_000;

/** `5 per 10m`, or `off`. */
export const rate = (): Schema<Rate | undefined> =>
  v.pipe(
    v.string(wrong('not_a_rate')),
    read((found) => {
      if (found === 'off') return ok(undefined);
      const [, count = '', time = ''] = /^\s*(\d{1,9})\s+per\s+(\S+)\s*$/i.exec(found) ?? [];
      const within = parseDays(time);
      const most = Number(count);
      if (count === '' || !within.ok || within.value < 1_000 || most < 1)
        return err(finding('not_a_rate', [], { found }));
      if (within.value > longestMs) return err(finding('rate_too_long', [], { found }));
      return most > mostOfOne
        ? err(finding('rate_too_high', [], { found, most: mostOfOne }))
        : ok({ most, withinMs: within.value });
    }),
    v.metadata({ jsonSchema: { title: 'rate', type: 'string', pattern: '^\\d+ +per +\\S+$|^off$' } }),
  );
