/** Local time in a time zone. Node 20 has no Temporal, so this asks `Intl` for offsets. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  return format;
}

/** In seconds, east of Greenwich. */
function offsetAt(zone: string, at: number): number {
  // Such as `GMT+01:00`, `GMT-00:53:28` before railways, or `GMT`.
  const found = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(formatOf(zone).format(at * 1000));
  const [hours = 0, minutes = 0, seconds = 0] = (found ?? []).slice(2).map((part) => Number(part ?? 0));
  return (found?.[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

/**
 * The offset of a local time, given in seconds as if it were UTC. A time that comes twice, when clocks are put back, is
 * the first of both; `undefined`: clocks are put forward over it, so it never comes.
 */
export function offsetOfLocal(zone: string, local: number): number | undefined {
  const offsets = [-86_400, 0, 86_400].map((seconds) => offsetAt(zone, local + seconds));
  const fitting = offsets.filter((offset) => offsetAt(zone, local - offset) === offset);
  // The earlier instant is further east.
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}

/** As RFC 3339 writes it, which has whole minutes: `+01:00`. */
export function offsetInWords(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60);
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
