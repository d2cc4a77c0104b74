import { shown } from './diagnostics.ts';
import { parseDays } from './duration.ts';
import { type Schema, schema } from './kinds.ts';

export interface Rate {
  readonly most: number;
  readonly withinMs: number;
}

const mostOfOne = 1_000;
const dayMs = 86_400_000;

/** `5 per 10m`, or `off`. */
export const rate = (): Schema<Rate | 'off'> =>
  schema(
    () => ({ title: 'rate', type: 'string', pattern: '^\\d+ +per +\\S+$|^off$' }),
    (value, at) => {
      if (value === 'off') return 'off';
      const found = shown(value, at);
      const [, count = '', time = ''] = /^\s*(\d{1,9})\s+per\s+(\S+)\s*$/i.exec(String(value)) ?? [];
      const within = parseDays(time);
      const withinMs = within.ok ? within.value : undefined;
      const most = Number(count);
      if (count === '' || withinMs === undefined || withinMs < 1_000 || most < 1)
        return at.error(`found ${found}; expected how often within which time, such as 5 per 10m; or off`);
      if (withinMs > dayMs)
        return at.error(
          `found ${found}; write at most 1d: what is counted is in memory, and forgotten when the relay stops`,
        );
      if (most > mostOfOne)
        return at.error(`found ${found}; it may be at most ${mostOfOne}, each of which is remembered`);
      return { most, withinMs };
    },
  );
