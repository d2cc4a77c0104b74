import { sizeInWords } from '../base/files.ts';
import english from './en.json' with { type: 'json' };

/** The code of a sentence for visitors. Every language has all of them. */
export type MessageCode = keyof typeof english;

/** A sentence as data; each language has its words. */
export interface Message {
  readonly code: MessageCode;
  readonly params?: Readonly<Record<string, Param>> | undefined;
}

type Param = string | number | Decimal | Day | Size | Wait | OneOf | Spelled | undefined;

/** A number as it was typed, with all its places: `12.50`. */
export interface Decimal {
  readonly decimal: string;
}

/** A day in HTML's format, such as 2030-12-31. */
export interface Day {
  readonly day: string;
}

/** What code that loads late writes in the language. */
export interface Spelled {
  readonly spell: (locales: readonly string[]) => string;
}

/** A file's size. */
export interface Size {
  readonly bytes: number;
}

/** A duration, shown in whole minutes or hours. */
export interface Wait {
  readonly seconds: number;
}

/** Alternatives: names or messages. */
export interface OneOf {
  readonly oneOf: readonly (string | Message)[];
}

/**
 * `{name}` is a parameter. Plural texts have a form for each category of the language (Unicode CLDR); `count` names the
 * parameter that selects it.
 */
export type Text =
  | string
  | ({ readonly count: string; readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

export type Texts = Readonly<Record<MessageCode, Text>>;

/** Renders a message as plain text in one language. A missing parameter renders empty. */
export interface Say {
  (message: Message): string;
  /** Writes a number, day or time alone. */
  readonly write: (value: Param) => string;
}

/**
 * @param language A BCP 47 tag, which determines the format of numbers and days; days look as browsers show them in
 * fields.
 */
export function sayIn(language: string, texts: Texts): Say {
  const isEnglish = /^en\b/.test(language);
  // Without the fallback, Intl would use the machine's language for an unknown one.
  const locales = [language, 'en'];
  let plurals: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  let days: Intl.DateTimeFormat | undefined;
  /** By unit. A flood beyond a limit reads one in each answer, and a new format costs more than the rest of it. */
  const waits = new Map<string, Intl.NumberFormat>();
  const write = (value: Param): string => {
    if (value === undefined || typeof value === 'string') return value ?? '';
    if (typeof value === 'object') {
      if ('spell' in value) return value.spell(locales);
      if ('oneOf' in value) return writeList(value);
      if ('bytes' in value) return isEnglish ? sizeInWords(value.bytes) : writeSize(value.bytes, locales);
      if ('decimal' in value) return isEnglish ? value.decimal : writeDecimal(value.decimal, locales);
      if ('seconds' in value) return writeWait(value.seconds);
      if (isEnglish) return value.day;
      days ??= new Intl.DateTimeFormat(locales, dayFormat);
      return days.format(new Date(value.day));
    }
    if (isEnglish) return String(value);
    numbers ??= new Intl.NumberFormat(locales, { maximumFractionDigits: 20, useGrouping: false });
    return numbers.format(value);
  };
  /** Rounded up: `10 minutes`, `2 hours`. */
  const writeWait = (seconds: number): string => {
    const minutes = Math.max(1, Math.ceil(seconds / 60));
    const unit = minutes < 120 ? 'minute' : 'hour';
    const format =
      waits.get(unit) ?? new Intl.NumberFormat(locales, { style: 'unit', unit, unitDisplay: 'long' });
    waits.set(unit, format);
    return format.format(unit === 'hour' ? Math.ceil(minutes / 60) : minutes);
  };
  const writeList = ({ oneOf }: OneOf) =>
    // American English would put a comma before the last word.
    new Intl.ListFormat(isEnglish ? 'en-GB' : locales, { type: 'disjunction' }).format(
      oneOf.map((one) => (typeof one === 'string' ? one : say(one))),
    );
  const say = ({ code, params = {} }: Message): string => {
    const text = texts[code];
    let chosen = text as string;
    if (typeof text !== 'string') {
      plurals ??= new Intl.PluralRules(locales);
      chosen = text[plurals.select(Number(params[text.count]))] ?? text.other;
    }
    return chosen.includes('{')
      ? chosen.replaceAll(/\{(\w+)\}/g, (_, name: string) => write(params[name]))
      : chosen;
  };
  return Object.assign(say, { write });
}

/** What is no plain number, or has more places than `Intl` writes, stays as it is. */
function writeDecimal(decimal: string, locales: readonly string[]): string {
  if (!/^-?\d*\.?\d{1,20}$/.test(decimal)) return decimal;
  const places = decimal.split('.')[1]?.length ?? 0;
  const options = { useGrouping: false, minimumFractionDigits: places, maximumFractionDigits: places };
  return new Intl.NumberFormat([...locales], options).format(decimal as `${number}`);
}

/** In steps of 1,024, like `sizeInWords`: `1,2 Mo`. */
function writeSize(bytes: number, locales: readonly string[]): string {
  const [, number = '', unit = ''] = /^(\S+) (\w+)$/.exec(sizeInWords(bytes)) ?? [];
  const name = unit === 'MB' ? 'megabyte' : unit === 'KB' ? 'kilobyte' : 'byte';
  return new Intl.NumberFormat([...locales], { style: 'unit', unit: name }).format(Number(number));
}

/** Date fields use this calendar in every country. */
const dayFormat = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  calendar: 'gregory',
  timeZone: 'UTC',
} as const;

export const en: Texts = english;

/** English, the language of forms that name none and of texts outside forms. */
export const say: Say = sayIn('en', en);
