/** A choice of whole numbers: rating, scale. */
import type { Diagnostics, Locale } from '@form-relay/core/index';
import { valueProblems } from '@form-relay/core/kit';

interface Numbers {
  readonly min: number;
  readonly max: number;
}

export const numbersOf = ({ min, max }: Numbers): readonly number[] =>
  Array.from({ length: max - min + 1 }, (_, index) => min + index);

export const numberValues = (numbers: Numbers): readonly string[] => numbersOf(numbers).map(String);

export const initialNumber = (
  { min, max, value }: Partial<Numbers> & { readonly value?: readonly string[] | undefined },
  at: Diagnostics,
): void => {
  if (min !== undefined && max !== undefined) valueProblems({ value }, numberValues({ min, max }), at);
};

/** For people, such as `4 of 5`: a number alone does not say how good it is. */
export const numberWords = (
  { max }: Pick<Numbers, 'max'>,
  stored: readonly string[],
  { translate }: Locale,
): readonly string[] =>
  stored.map((value) =>
    /^\d+$/.test(value) ? translate({ code: 'rating_of', params: { value: Number(value), max } }) : value,
  );

/** The digits of the language. */
export function numbersIn(language: string | undefined, numbers: Numbers): readonly string[] {
  const { format } = new Intl.NumberFormat([language ?? 'en', 'en']);
  return numbersOf(numbers).map(format);
}

export const numberMessages = { rating_of: '{value} of {max}' };
