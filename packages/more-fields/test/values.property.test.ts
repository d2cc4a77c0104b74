/** The values that each field type accepts, compared with a second implementation that shares no code. */

import fc from 'fast-check';
import { holds, runs } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import { parseConfig } from '../../../test/support/parse_config.ts';
import type { Field } from '../../core/src/fields/field.ts';
import type { Form } from '../../core/src/form.ts';
import { SubmissionContext } from '../../core/src/pipeline/context.ts';
import { readSettings } from '../../core/src/settings.ts';

type Given = ReturnType<typeof fieldOf>;

function formOf(field: object, keys: object = {}): Form {
  const form = { ...keys, fields: [{ name: 'a', ...field }], outputs: [{ type: 'x' }] };
  const config = must(parseConfig(JSON.stringify({ forms: { form } }), 'webform.yaml'));
  return config.forms.get('form') as Form;
}

function fieldOf(written: object, keys?: object) {
  const form = formOf(written, keys);
  const request = { method: 'POST', path: '/', query: '', headers: {}, body: undefined };
  const shared = { services: form.services, settings: readSettings({}), follow: () => {} };
  return { field: form.fields[0] as Field, submission: new SubmissionContext(form, '', request, shared) };
}

const refusal = ({ field, submission }: Given, ...values: string[]) => field.check(values, submission)?.code;
const takes = (given: Given, ...values: string[]) => refusal(given, ...values) === undefined;
const stored = ({ field, submission }: Given, value: string) => {
  const [meant = value] = field.normalize?.(new Map([[field.name, [value]]])) ?? [];
  return field.store?.(meant, submission) ?? meant;
};

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.constantFrom(...'0123456789+-.eE@:/ah\r\n \0\u00a0é٣'), { maxLength: 10 })
    .map((parts) => parts.join('')),
);

/** A decimal number as `digits * 10 ** -places`, exactly. */
interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}
const decimal = fc.record({
  digits: fc.oneof(fc.bigInt({ min: -999n, max: 999n }), fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })),
  places: fc.nat({ max: 6 }),
});
const written = ({ digits, places }: Decimal) => {
  const sign = digits < 0n ? '-' : '';
  const padded = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
  return places === 0 ? sign + padded : `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
};
const millionths = ({ digits, places }: Decimal) => digits * 10n ** BigInt(6 - places);

test('a number is accepted within its limits and on its steps, exactly', async () => {
  const positive = decimal.filter(({ digits }) => digits > 0n);
  await holds(
    200,
    [decimal, decimal, positive, decimal, fc.nat({ max: 50 }), fc.boolean()],
    (min, span, step, other, count, isOn) => {
      const [low, up, by] = [min, span, step].map(millionths) as [bigint, bigint, bigint];
      const max = low + (up < 0n ? -up : up);
      const value = isOn ? low + BigInt(count) * by : millionths(other);
      fc.pre([value, max].every((some) => some < 10n ** 15n && some > -(10n ** 15n)));
      const field = fieldOf({
        type: 'number',
        min: written(min),
        max: written({ digits: max, places: 6 }),
        step: written(step),
      });
      const expected = value >= low && value <= max && (value - low) % by === 0n;
      expect(takes(field, written({ digits: value, places: 6 }))).toBe(expected);
    },
  );
});

test('any text is a number in HTML’s format, or rejected', async () => {
  const field = fieldOf({ type: 'number', step: 'any' });
  await holds(200, [text], (value) => {
    // HTML, 2.3.4.3. `Number` accepts more, but everything that it rejects is not a number.
    const isWritten = /^-?[0-9.]+([eE][-+]?[0-9]+)?$/.test(value) && !/\.($|[eE])/.test(value);
    expect(takes(field, value)).toBe(isWritten && Number.isFinite(Number(value)));
  });
});

const daysIn = (year: number, month: number) =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31;
const pad = (n: number, length: number) => String(n).padStart(length, '0');

test('a date is accepted if it exists, between the first and the last', async () => {
  const day = fc.tuple(
    fc.oneof(fc.nat({ max: 9999 }), fc.constantFrom(1900, 2000, 2024, 2100)),
    fc.oneof(fc.nat({ max: 13 }), fc.constant(2)),
    fc.oneof(fc.nat({ max: 32 }), fc.integer({ min: 28, max: 31 })),
  );
  const exists = ([year, month, day]: [number, number, number]) =>
    year > 0 && month > 0 && month < 13 && day > 0 && day <= daysIn(year, month);
  const order = ([year, month, day]: [number, number, number]) => year * 10_000 + month * 100 + day;
  const show = ([year, month, day]: [number, number, number]) =>
    `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  await holds(100, [day, day.filter(exists), day.filter(exists), text], (value, one, other, some) => {
    const [first, last] = order(one) < order(other) ? [one, other] : [other, one];
    const field = fieldOf({ type: 'date', min: show(first), max: show(last) });
    const expected = exists(value) && order(value) >= order(first) && order(value) <= order(last);
    expect(takes(field, show(value))).toBe(expected);
    expect(takes(field, some)).toBe(false);
    expect(takes(fieldOf({ type: 'date' }), `${show(one)}${some}`)).toBe(some === '');
  });
});

test('a time is accepted if it exists and is on a step, and is stored in one format', async () => {
  const typed = fc.record({
    hour: fc.nat({ max: 26 }),
    minute: fc.nat({ max: 61 }),
    isShort: fc.boolean(),
    zero: fc.constantFrom(0x30, 0xff10, 0x660, 0x6f0),
    between: fc.constantFrom(':', '.', 'h', '：'),
  });
  const inDigits = (digits: string, zero: number) =>
    digits.replaceAll(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
  await holds(
    100,
    [typed, fc.tuple(fc.nat({ max: 1439 }), fc.nat({ max: 1439 })), fc.integer({ min: 1, max: 120 }), text],
    ({ hour, minute, isShort, zero, between }, [one, other], step, some) => {
      const show = (minutes: number) => `${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
      const [min, max] = [Math.min(one, other), Math.max(one, other)];
      const keys = { min: show(min), max: show(max), step: `${step}m` };
      const field = fieldOf({ type: 'time', ...keys });
      const value = `${inDigits(pad(hour, isShort ? 1 : 2), zero)}${between}${inDigits(pad(minute, 2), zero)}`;
      const at = hour * 60 + minute;
      const exists = hour < 24 && minute < 60;
      expect(takes(field, value)).toBe(exists && at >= min && at <= max && (at - min) % step === 0);
      if (exists) expect(stored(field, value)).toBe(show(at));
      const free = fieldOf({ type: 'time', step: '1s' });
      if (takes(free, some)) {
        const kept = stored(free, some);
        expect(kept).toMatch(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/);
        expect(stored(free, kept)).toBe(kept);
      }
    },
  );
});

test('a local time is stored as the first moment that the zone shows as this time, or rejected if there is none', () => {
  const zones = 'Europe/Berlin America/St_Johns Pacific/Apia Australia/Lord_Howe Africa/Casablanca'.split(
    ' ',
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      // Quarters of an hour since 1995, a period with hundreds of clock changes.
      fc.integer({ min: Date.UTC(1995, 0) / 900_000, max: Date.UTC(2027, 0) / 900_000 }),
      (zone, quarters) => {
        const shown = (at: number) => {
          // Sweden writes dates and times like ISO 8601.
          const options = { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' } as const;
          return new Intl.DateTimeFormat('sv', options).format(at).replace(' ', 'T');
        };
        const local = new Date(quarters * 900_000).toISOString().slice(0, 16);
        const field = fieldOf({ type: 'datetime' }, { time_zone: zone });
        // Offsets are multiples of a quarter of an hour, within 14 hours.
        const moments = Array.from({ length: 113 }, (_, nth) => (quarters - 56 + nth) * 900_000);
        const first = moments.find((at) => shown(at) === `${local}:00`);
        expect(refusal(field, local)).toBe(undefined);
        const kept = stored(field, local);
        expect(kept.slice(0, 16)).toBe(local);
        if (first !== undefined) expect(Date.parse(kept)).toBe(first);
      },
    ),
    runs(20),
  );
});

/** Not `URL.canParse`: see packages/base/src/url.ts. */
const urlOf = (value: string) => {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
};

test('a non-ASCII host is accepted every time', () => {
  const field = fieldOf({ type: 'url' });
  for (let n = 0; n < 20_000; n += 1) expect(takes(field, 'https://bücher.example/')).toBe(true);
});

test('a web address is accepted, and one that no browser could follow is rejected', async () => {
  const field = fieldOf({ type: 'url' });
  await holds(
    100,
    [fc.webUrl({ withFragments: true, withQueryParameters: true }), text, text],
    (url, before, after) => {
      expect(takes(field, url)).toBe(true);
      for (const value of [before + url, url + after, after, `https://${after}`]) {
        const parsed = urlOf(value);
        const isAbsolute =
          /^https?:\/\//i.test(value) && /^https?:$/.test(parsed?.protocol ?? '') && parsed?.host !== '';
        expect(takes(field, value)).toBe(isAbsolute && !/[\s\p{Cc}]/u.test(value));
      }
    },
  );
});

test('an e-mail address has exactly one @, with characters on each side', async () => {
  const field = fieldOf({ type: 'email' });
  await holds(
    200,
    [
      fc.oneof(
        text,
        fc.array(fc.constantFrom('@', 'a', '\n', 'é'), { maxLength: 6 }).map((parts) => parts.join('')),
      ),
    ],
    (value) => {
      const sides = value.split('@');
      expect(takes(field, value)).toBe(sides.length === 2 && sides.every((side) => side !== ''));
    },
  );
});

test('lengths are counted as browsers count them', async () => {
  const unit = fc.constantFrom('a', '\r\n', '\r', '\n', 'é', '😀', '\0');
  await holds(
    200,
    [
      fc.constantFrom('text', 'textarea', 'tel'),
      fc.array(unit, { maxLength: 12 }),
      fc.nat({ max: 8 }),
      fc.nat({ max: 8 }),
    ],
    (type, units, min, more) => {
      const value = units.join('');
      let length = 0;
      for (let i = 0; i < value.length; i += 1)
        if (!(value[i] === '\n' && value[i - 1] === '\r')) length += 1;
      const max = Math.max(1, min + more);
      const field = fieldOf({ type, min_length: String(min), max_length: String(max) });
      expect(takes(field, value)).toBe(length >= min && length <= max);
    },
  );
});

test('only offered options can be chosen, and only as often as allowed', async () => {
  const option: fc.Arbitrary<string> = fc.constantFrom(
    ...['a', 'b', 'c', 'a b', '__proto__', 'constructor', '0', 'é'],
  );
  await holds(
    100,
    [
      fc.uniqueArray(option, { minLength: 1 }),
      fc.array(
        fc.oneof(
          option,
          text.filter((some) => some !== ''),
        ),
        { minLength: 1, maxLength: 5 },
      ),
      fc.nat({ max: 3 }),
      fc.nat({ max: 3 }),
    ],
    (options, values, min, more) => {
      const areOffered = values.every((value) => options.includes(value));
      const max = Math.max(1, min + more);
      fc.pre(min <= options.length);
      const limits = { min_choices: String(min), max_choices: String(max) };
      const chosen = new Set(values).size;
      expect(takes(fieldOf({ type: 'select', options }), ...values)).toBe(areOffered && values.length === 1);
      expect(takes(fieldOf({ type: 'radios', options }), ...values)).toBe(areOffered && values.length === 1);
      expect(takes(fieldOf({ type: 'select', options, multiple: 'true' }), ...values)).toBe(areOffered);
      expect(takes(fieldOf({ type: 'checkboxes', options, ...limits }), ...values)).toBe(
        areOffered && chosen >= min && chosen <= max,
      );
      const [ticked = ''] = options;
      expect(takes(fieldOf({ type: 'checkbox', checked_value: ticked }), ...values)).toBe(
        values.every((value) => value === ticked),
      );
    },
  );
});
