/** A field type: a month of a year. */
import type { MakePlugin, Message } from 'form-relay/plugin';
import { words } from './month_words.ts';

/** By default, HTML counts steps from January 1970. */
const january1970 = 1970 * 12;

/**
 * Months since the year 0. Accepts `2026-03`, `2026/3`, `03.2026`, `2026年3月`, because Firefox and Safari on
 * desktops have no control for months.
 */
function read(text: string): number | undefined {
  const typed = text
    .normalize('NFKC')
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .trim();
  const found =
    /^(?<year>\d{4})[-/.](?<month>\d{1,2})$/.exec(typed) ??
    /^(?<month>\d{1,2})[-/.](?<year>\d{4})$/.exec(typed) ??
    /^(?<year>\d{4})[年년] ?(?<month>\d{1,2})[月월]$/.exec(typed);
  const [year, month] = [Number(found?.groups?.year ?? 0), Number(found?.groups?.month ?? 0)];
  return year < 1 || month < 1 || month > 12 ? undefined : year * 12 + month - 1;
}

const write = (at: number): string =>
  `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}`;

/** In HTML's format for English, otherwise in the language's: `03/2026`. */
const inWords = (at: number) => ({
  spell: (locales: readonly string[]) => {
    if (/^en\b/.test(locales[0] ?? '')) return write(at);
    const format = { calendar: 'gregory', timeZone: 'UTC', year: 'numeric', month: '2-digit' } as const;
    return new Intl.DateTimeFormat([...locales], format).format(Date.parse(`${write(at)}-01`));
  },
});

interface Limits {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly step: number;
  readonly value?: readonly string[] | undefined;
}

/** How many months it is past the last one that can be chosen. */
function beyond({ min, value = [], step }: Limits, at: number): number {
  const base = read(min ?? value[0] ?? '') ?? january1970;
  return (((at - base) % step) + step) % step;
}

function check(limits: Limits, typed: string): Message | undefined {
  const at = read(typed);
  if (at === undefined) return { code: 'not_a_month' };
  const [min, max] = [read(limits.min ?? ''), read(limits.max ?? '')];
  if (min !== undefined && at < min) return { code: 'month_too_early', params: { min: inWords(min) } };
  if (max !== undefined && at > max) return { code: 'month_too_late', params: { max: inWords(max) } };
  const over = beyond(limits, at);
  if (over === 0) return undefined;
  const later = at - over + limits.step;
  const isLaterNearer = over > limits.step / 2 || (min !== undefined && at - over < min);
  const nearest = isLaterNearer && later <= (max ?? later) ? later : at - over;
  return { code: 'month_off_step', params: { nearest: inWords(nearest) } };
}

const make: MakePlugin = (kit) => ({
  name: 'month',
  summary: 'A field for a month of a year.',
  messages: words,
  fields: [
    kit.field({
      type: 'month',
      summary: 'A month of a year, sent as `YYYY-MM`.',
      card: { title: 'Month', purpose: 'Date and number', words: 'year calendar expiry' },
      samples: (_, now) => [[new Date(now).toISOString().slice(0, 7)]],
      missing: 'missing_month',
      hint: () => ({ code: 'month_format' }),
      keys: {
        min: kit.key.optional('First month, such as `2030-01`.', kit.key.text()),
        max: kit.key.optional('Last month (`2031-12`).', kit.key.text()),
        step: kit.key.withDefault(
          '1',
          'Months between allowed values, counted from `min`, `value` or January.',
          kit.key.whole({ least: 1, most: 1_200 }),
        ),
      },
      problems: ({ min, max }, at) => {
        for (const [key, limit] of Object.entries({ min, max }))
          if (limit !== undefined && read(limit) === undefined)
            at.in(key).error(`found "${limit}"; expected a month, such as 2030-12`);
        if (Number(read(min ?? '')) > Number(read(max ?? '')))
          at.in('max').error(`found ${max}; expected min, which is ${min}, or later`);
      },
      normalizeValue: (_, value) => {
        const at = read(value);
        return at === undefined ? value : write(at);
      },
      checkValue: check,
      check: (_, values) => (values.length > 1 ? { code: 'more_than_one_value' } : undefined),
      words: (_, stored, locale) =>
        stored.map((value) => {
          const at = read(value);
          return at === undefined ? value : locale.write(inWords(at));
        }),
      control: (field, state) => {
        const [typed = ''] = state.values;
        const [min, max, shown] = [field.min, field.max, typed].map((one) => read(one ?? ''));
        // Without `min`, browsers count steps from the initial value, which would shift all steps if it is not on one.
        const isOn = min !== undefined || shown === undefined || beyond(field, shown) === 0;
        return kit.html.input('month', field, state, {
          value: shown === undefined ? typed || undefined : write(shown),
          min: min === undefined ? undefined : write(min),
          max: max === undefined ? undefined : write(max),
          step: isOn ? field.step : 'any',
          dir: 'ltr',
        });
      },
    }),
  ],
});

export default make;
