import * as v from 'valibot';
import { wrong } from '../../schema/issue.ts';
import { text } from '../../schema/kinds.ts';
import { nearest } from '../../schema/suggestion.ts';

export function isTimeZone(name: string): boolean {
  // Newer runtimes also take offsets, which know no clock changes.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** The name that was probably meant: of a city, or with a typo. */
function meantBy(name: string): string | undefined {
  const all = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const city = name.trim().replaceAll(' ', '_').toLowerCase();
  return all.find((one) => one.toLowerCase().split('/').at(-1) === city) ?? nearest(name, all);
}

export const timeZone = v.pipe(
  text(),
  v.check(isTimeZone, (issue) => wrong('not_a_time_zone', { near: meantBy(String(issue.input)) })(issue)),
  v.metadata({ jsonSchema: { title: 'time zone', type: 'string' } }),
);
