import { en } from './en.ts';

/** Names a sentence that a visitor may read. Every language has each of them. */
export type MessageCode = keyof typeof en;

/** A sentence as data: what it says is its code and parameters; its words are a language's. */
export interface Message {
  readonly code: MessageCode;
  readonly params?: Readonly<Record<string, string | number | undefined>> | undefined;
}

/**
 * `{name}` stands for a parameter. Where the words depend on a number, `count` names it, and there is a text for each
 * plural form of the language (Unicode CLDR).
 */
export type Text =
  | string
  | ({ readonly count: string; readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

/** All that a language says. */
export type Texts = Readonly<Record<MessageCode, Text>>;

/** Gives a message's words, as plain text, in some language. A parameter that is missing leaves nothing in its place. */
export type Say = (message: Message) => string;

/** @param language A BCP 47 tag. Numbers among the parameters are written as is usual there. */
export function sayIn(language: string, texts: Texts): Say {
  let plurals: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  const write = (value: string | number | undefined) => {
    if (typeof value !== 'number') return value ?? '';
    if (language === 'en') return String(value);
    numbers ??= new Intl.NumberFormat(language, { maximumFractionDigits: 20, useGrouping: false });
    return numbers.format(value);
  };
  return ({ code, params = {} }) => {
    const text = texts[code];
    let chosen = text as string;
    if (typeof text !== 'string') {
      plurals ??= new Intl.PluralRules(language);
      chosen = text[plurals.select(Number(params[text.count]))] ?? text.other;
    }
    return chosen.includes('{')
      ? chosen.replaceAll(/\{(\w+)\}/g, (_, name: string) => write(params[name]))
      : chosen;
  };
}

/** English: the language of forms that name none, and of what stands in no form. */
export const say: Say = sayIn('en', en);

/** The words before and after a parameter in whose place markup stands. */
export function sayAround(say: Say, { code, params }: Message, parameter: string): readonly [string, string] {
  // No text that a person writes holds it.
  const mark = '\0';
  const [before = '', after = ''] = say({ code, params: { ...params, [parameter]: mark } }).split(mark);
  return [before, after];
}
