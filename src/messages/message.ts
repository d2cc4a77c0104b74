import { en } from './en.ts';

/** Names a sentence that a visitor may read. Every language has each of them. */
export type MessageCode = keyof typeof en;

/** A sentence as data: what it says is its code and parameters; its words are a language's. */
export interface Message {
  readonly code: MessageCode;
  readonly params?: Readonly<Record<string, string | number | undefined>> | undefined;
}

/** `{name}` stands for a parameter. Where the words depend on a number, `count` names it. */
export type Text = string | { readonly count: string; readonly one: string; readonly other: string };

const texts: Readonly<Record<MessageCode, Text>> = en;

/** The message's words, as plain text. A parameter that is missing leaves nothing in its place. */
export function say({ code, params = {} }: Message): string {
  const text = texts[code];
  const chosen = typeof text === 'string' ? text : params[text.count] === 1 ? text.one : text.other;
  return chosen.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''));
}

/** The words before and after a parameter in whose place markup stands. */
export function sayAround({ code, params }: Message, parameter: string): readonly [string, string] {
  // No text that a person writes holds it.
  const mark = '\0';
  const [before = '', after = ''] = say({ code, params: { ...params, [parameter]: mark } }).split(mark);
  return [before, after];
}
