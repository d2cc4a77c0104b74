import type { Message, Say } from '../messages/message.ts';
import type { Finding } from '../schema/finding.ts';
import type { Option } from './field.ts';
import { valueProblems } from './option_list.ts';

/** A choice of whole numbers: rating, scale. */
interface Numbers {
  readonly min: number;
  readonly max: number;
}

interface Chosen {
  readonly value?: readonly string[] | undefined;
}

export const numbersOf = ({ min, max }: Numbers): readonly number[] =>
  Array.from({ length: max - min + 1 }, (_, index) => min + index);

export const numberValues = (numbers: Numbers): readonly string[] => numbersOf(numbers).map(String);

export const initialNumber = (numbers: Numbers & Chosen): readonly Finding[] =>
  valueProblems(numbers, numberValues(numbers));

/** As mails show them, such as `4 of 5`: a number alone doesn't say how good it is. */
export const numberOptions = (numbers: Numbers, say: Say): readonly Option[] =>
  numbersOf(numbers).map((value) => ({
    value: String(value),
    label: say({ code: 'rating_of', params: { value, max: numbers.max } }),
  }));

/** The digits of the language. */
export function numbersIn(language: string, numbers: Numbers): readonly string[] {
  const { format } = new Intl.NumberFormat([language, 'en']);
  return numbersOf(numbers).map(format);
}

export const oneNumber = (_: unknown, values: readonly string[]): Message | undefined =>
  values.length > 1 ? { code: 'more_than_one_option' } : undefined;
