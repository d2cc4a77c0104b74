import { sizeInWords } from '@form-relay/base/values';
import type { LocalizedText } from '@form-relay/schema/kinds';
import english from './en.json' with { type: 'json' };

/** A sentence for visitors as data. Plug-ins put the texts of their codes into `Plugin.messages`. */
export interface Message {
  readonly code: string;
  readonly params?: Readonly<Record<string, Param>> | undefined;
}

export type Param = string | number | Message | Written | readonly Param[] | undefined;

/** Values that each language writes in its own way. A list of texts and messages is written `A, B or C`. */
export type Written = Decimal | Day | Size | Wait | Spelled;

/** A number as typed, with all its decimal places: `12.50`. */
export type Decimal = { readonly decimal: string };

/** A day in HTML's format, such as 2030-12-31. */
export type Day = { readonly day: string };

export type Size = { readonly bytes: number };

/** A duration, written in whole minutes or hours. */
export type Wait = { readonly seconds: number };

/** Any other value that `Intl` formats. The function gets BCP 47 tags in order of preference. */
export type Spelled = { readonly spell: (locales: readonly string[]) => string };

/** `{name}` is a parameter. Plural texts have a form for each category of CLDR; the parameter `count` selects it. */
export type Text =
  | string
  | ({ readonly count: string; readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
export type Messages = Readonly<Record<string, Text>>;

/** Renders a message as plain text. A missing parameter renders empty, an unknown code as `try_again`. */
export type Translate = (message: Message) => string;

export interface Format {
  write(value: number | Written): string;
  plural(count: number): Intl.LDMLPluralRule;
  /** Writes a list as `A, B or C`. */
  list(items: readonly string[]): string;
}

/** The visitor's language. */
export interface Locale {
  /** BCP 47; `undefined` if the config names no language, so that markup and headers do not either. */
  readonly language: string | undefined;
  readonly direction?: 'ltr' | 'rtl' | undefined;
  /** The query that preserves the chosen language in addresses, such as `lang=de`. */
  readonly query?: string;
  /** @internal Whether another request may get another language. */
  readonly isNegotiated?: boolean;
  readonly translate: Translate;
  write(value: Param): string;
  text<T = string>(wording: T | ReadonlyMap<string, T>): T;
  /** @internal Whether the owner wrote the text of this code. */
  isOwn?(code: string): boolean;
}

/** English without `Intl`, whose first use takes 2 ms of a cold start. */
export const englishFormat: Format = {
  plural: (count) => (count === 1 ? 'one' : 'other'),
  list: (items) =>
    items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`,
  write: (value) => {
    if (typeof value === 'number') return String(value);
    if ('spell' in value) return value.spell(['en']);
    if ('decimal' in value) return value.decimal;
    if ('day' in value) return value.day;
    if ('bytes' in value) return sizeInWords(value.bytes);
    const { amount, unit } = wholeUnits(value);
    return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
  },
};

/** A wait, rounded up: `10 minutes`, `2 hours`. */
export function wholeUnits({ seconds }: Wait): { readonly amount: number; readonly unit: 'minute' | 'hour' } {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return minutes < 120
    ? { amount: minutes, unit: 'minute' }
    : { amount: Math.ceil(minutes / 60), unit: 'hour' };
}

export function voiceOf(
  texts: Messages,
  format: Format = englishFormat,
): Pick<Locale, 'translate' | 'write'> {
  const translate: Translate = ({ code, params = {} }) => {
    const text = texts[code] ?? texts.try_again ?? code;
    const chosen =
      typeof text === 'string' ? text : (text[format.plural(Number(params[text.count]))] ?? text.other);
    return chosen.includes('{')
      ? chosen.replaceAll(/\{(\w+)\}/g, (_, name: string) => write(params[name]))
      : chosen;
  };
  const write = (value: Param): string => {
    if (value === undefined || typeof value === 'string') return value ?? '';
    if (typeof value === 'number') return format.write(value);
    if (isList(value)) return format.list(value.map(write));
    return 'code' in value ? translate(value) : format.write(value);
  };
  return { translate, write };
}

const isList = (value: object): value is readonly Param[] => Array.isArray(value);

export const textParam = (text: LocalizedText, change = (words: string): string => words): Param =>
  typeof text === 'string'
    ? change(text)
    : { spell: ([language = '']) => change(text.get(language) ?? firstWording(text)) };

export const firstWording = <T>(wording: T | ReadonlyMap<string, T>): T =>
  wording instanceof Map ? wording.values().next().value : (wording as T);

/** The locale of forms without a configured language. */
export const plainLocale = (texts: Messages): Locale => ({
  language: undefined,
  ...voiceOf(texts),
  text: firstWording,
});

export const en: Messages = english;
