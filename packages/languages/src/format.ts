import type { Format, Size, Wait } from '@form-relay/core/index';
import { englishFormat, wholeUnits } from '@form-relay/core/messages/message';

/** How a language writes numbers, days, sizes and lists. All forms share it, since `Intl` takes long to make and much memory. */
export function formatIn(language: string): Format {
  const format = formats.get(language) ?? makeFormat(language);
  formats.set(language, format);
  return format;
}

const formats = new Map<string, Format>();

/** Days look as browsers show them in fields. */
function makeFormat(language: string): Format {
  // The core writes English without Intl.
  if (/^en\b/.test(language)) return { ...englishFormat, ...(language !== 'en' && spellsIn(language)) };
  // Without the fallback, Intl would use the machine's language for an unknown one.
  const locales = [language, 'en'];
  let plurals: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  let days: Intl.DateTimeFormat | undefined;
  /** A flood beyond a limit reads a wait in each answer, and a new format costs more than the rest of it. */
  const waits = new Map<string, Intl.NumberFormat>();
  const writeWait = (wait: Wait): string => {
    const { amount, unit } = wholeUnits(wait);
    const format =
      waits.get(unit) ?? new Intl.NumberFormat(locales, { style: 'unit', unit, unitDisplay: 'long' });
    waits.set(unit, format);
    return format.format(amount);
  };
  return {
    plural: (count) => {
      plurals ??= new Intl.PluralRules(locales);
      return plurals.select(count);
    },
    list: (items) => new Intl.ListFormat(locales, { type: 'disjunction' }).format(items),
    write: (value) => {
      if (typeof value === 'number') {
        numbers ??= new Intl.NumberFormat(locales, { maximumFractionDigits: 20, useGrouping: false });
        return numbers.format(value);
      }
      if ('spell' in value) return value.spell(locales);
      if ('bytes' in value) return writeSize(value, locales);
      if ('decimal' in value) return writeDecimal(value.decimal, locales);
      if ('seconds' in value) return writeWait(value);
      days ??= new Intl.DateTimeFormat(locales, dayFormat);
      return days.format(new Date(value.day));
    },
  };
}

/** English of a country writes dates its own way. */
const spellsIn = (language: string): Pick<Format, 'write'> => ({
  write: (value) =>
    typeof value === 'object' && 'spell' in value
      ? value.spell([language, 'en'])
      : englishFormat.write(value),
});

/** Text that is no plain number, or has more places than `Intl` writes, stays as it is. */
function writeDecimal(decimal: string, locales: string[]): string {
  if (!/^-?\d*\.?\d{1,20}$/.test(decimal)) return decimal;
  const places = decimal.split('.')[1]?.length ?? 0;
  const options = { useGrouping: false, minimumFractionDigits: places, maximumFractionDigits: places };
  return new Intl.NumberFormat(locales, options).format(decimal as `${number}`);
}

/** In steps of 1,024, as in English: `1,2 Mo`. */
function writeSize(size: Size, locales: string[]): string {
  const [, number = '', unit = ''] = /^(\S+) (\w+)$/.exec(englishFormat.write(size)) ?? [];
  const name = unit === 'MB' ? 'megabyte' : unit === 'KB' ? 'kilobyte' : 'byte';
  return new Intl.NumberFormat(locales, { style: 'unit', unit: name }).format(Number(number));
}

/** Date fields use this calendar in every country. */
const dayFormat = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  calendar: 'gregory',
  timeZone: 'UTC',
} as const;
