import type { Rate } from '@form-relay/base/rates';
import { parseDays } from './duration.ts';
import { type Schema, schema } from './kinds.ts';

const mostOfOne = 1_000;
const dayMs = 86_400_000;

/** `5 per 10m`, or `off`. */
export const rate = (): Schema<Rate | 'off'> =>
  schema({ title: 'rate', type: 'string', pattern: '^\\d+ +per +\\S+$|^off$' }, (value, at) => {
    if (value === 'off') return 'off';
    const [, count = '', time = ''] = /^\s*(\d{1,9})\s+per\s+(\S+)\s*$/i.exec(String(value)) ?? [];
    const within = parseDays(time);
    const most = Number(count);
    if (!within.ok || within.value < 1_000 || most < 1)
      return at.found(value, 'expected how often within which time, such as 5 per 10m; or off');
    const withinMs = within.value;
    if (withinMs > dayMs)
      return at.found(
        value,
        'write at most 1d: what is counted is in memory, and forgotten when the relay stops',
      );
    if (most > mostOfOne)
      return at.found(value, `it may be at most ${mostOfOne}, each of which is remembered`);
    return { most, withinMs };
  });
