/** `time_zone` of a form, or of all forms. */

import { isTimeZone } from '@form-relay/base/time_zone';
import type { Plugin } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { shown } from '@form-relay/schema/diagnostics';
import { textSchema } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** An IANA name, such as `Europe/Berlin`. */
    time_zone: string;
  }
}

/** The name that was probably meant: a city's, or one without its typo. */
function meantBy(name: string): string | undefined {
  const all = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const city = name.trim().replaceAll(' ', '_').toLowerCase();
  return all.find((one) => one.toLowerCase().split('/').at(-1) === city) ?? nearest(name, all);
}

const keys = {
  time_zone: optional(
    'Time zone of `opens`, `closes` and `datetime` fields, such as `Europe/Berlin`. Default: UTC for fields, none for `opens` and `closes`.',
    textSchema(
      (name, at) =>
        isTimeZone(name)
          ? name
          : at.error(
              `found ${shown(name, at)}; expected an IANA time zone, such as Europe/Berlin or UTC${didYouMean(meantBy(name))}`,
            ),
      { title: 'time zone', type: 'string' },
    ),
  ),
};

const timeZone = feature({
  name: 'time_zone',
  keys: { form: keys, top: keys },
  configure: ({ form, top }) => {
    const zone = form.time_zone ?? top.time_zone;
    return zone === undefined ? undefined : { provides: zone };
  },
});

export const plugin: Plugin = { name: 'time_zone', features: [timeZone] };
