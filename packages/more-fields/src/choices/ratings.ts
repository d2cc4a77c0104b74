/** `type: rating` and `type: scale`: a choice among whole numbers. */

import { html } from '@form-relay/base/html';
import { numbers } from '@form-relay/core/fields/amounts';
import { atMostOne, choiceGroup, valueProblems } from '@form-relay/core/fields/choices';
import { fieldType } from '@form-relay/core/fields/field';
import type { ControlState, Diagnostics, Html, Locale, Plugin } from '@form-relay/core/index';
import { label, localizedText, number } from '@form-relay/schema/scalars';
import { optional, withDefault } from '@form-relay/schema/schema';

interface Numbers {
  readonly min: number;
  readonly max: number;
}

const numbersOf = ({ min, max }: Numbers): readonly number[] =>
  Array.from({ length: max - min + 1 }, (_, index) => min + index);

const valuesOf = (all: Numbers): readonly string[] => numbersOf(all).map(String);

type Initial = Partial<Numbers> & { readonly value?: readonly string[] | undefined };

const initialNumber = ({ min, max, value }: Initial, at: Diagnostics): void => {
  if (min !== undefined && max !== undefined) valueProblems({ value }, valuesOf({ min, max }), at);
};

/** Keys and behaviour that both types share. */
const ofNumbers = {
  missing: 'missing_option',
  layout: 'radiogroup',
  check: atMostOne,
  /** For example `4 of 5`, because the number alone does not say how good it is. */
  words: ({ max }: Pick<Numbers, 'max'>, stored: readonly string[], { translate }: Locale) =>
    stored.map((value) =>
      /^\d+$/.test(value) ? translate({ code: 'rating_of', params: { value: Number(value), max } }) : value,
    ),
  json: (_: unknown, stored: readonly string[]) => numbers(stored),
} as const;

/** Numbers in the digits of the language. */
const digitsIn = ({ language = 'en' }: Locale, all: Numbers): readonly string[] =>
  numbersOf(all).map(new Intl.NumberFormat([language, 'en']).format);

function group(className: string, name: string, all: Numbers, words: readonly Html[], state: ControlState) {
  const options = valuesOf(all).map((value, index) => ({ value, label: words[index] ?? '' }));
  return html`<div class="${className}">\n${choiceGroup('radio', name, options, state)}</div>\n`;
}

const shownAs = (words: string): Html => html`<span class="choice-words">${words}</span>`;

const rating = fieldType({
  ...ofNumbers,
  type: 'rating',
  samples: ({ max }) => [valuesOf({ min: 1, max }).slice(-2, -1)],
  summary: 'A number of stars.',
  card: { title: 'Rating', purpose: 'Choice', words: 'stars score review feedback' },
  keys: {
    max: withDefault('5', 'Highest rating. The lowest is 1.', number({ least: 2, most: 10, whole: true })),
  },
  problems: (field, at) => initialNumber({ ...field, min: 1 }, at),
  offered: ({ max }) => valuesOf({ min: 1, max }),
  control: ({ name, max }, state) => {
    const all = { min: 1, max };
    const stars = numbersOf(all).map((stars) =>
      shownAs(state.locale.translate({ code: 'rating_stars', params: { stars } })),
    );
    return group('field-stars', name, all, stars, state);
  },
});

const scale = fieldType({
  ...ofNumbers,
  type: 'scale',
  samples: (field) => [valuesOf(field).slice(-2, -1)],
  summary: 'A number from 0 to 10, with a text at each end.',
  card: {
    title: 'Scale',
    purpose: 'Choice',
    words: 'likert nps opinion recommend score from 0 to 10',
    sample: { label: 'Would you recommend us?', low: 'Not at all likely', high: 'Very likely' },
  },
  keys: {
    min: withDefault('0', 'First number.', number({ least: 0, most: 1, whole: true })),
    max: withDefault('10', 'Last number.', number({ least: 2, most: 10, whole: true })),
    low: optional('Text at the first number, such as `Not at all likely`.', localizedText(label())),
    high: optional('Text at the last number, such as `Very likely`.', localizedText(label())),
  },
  problems: initialNumber,
  offered: valuesOf,
  control: (field, state) => {
    const { name, low, high } = field;
    const shown = digitsIn(state.locale, field).map((digits, index, { length }) => {
      const words = index === 0 ? low : index === length - 1 ? high : undefined;
      const atEnd =
        words !== undefined && html` <span class="scale-words">${state.locale.text(words)}</span>`;
      return html`${shownAs(digits)}${atEnd}`;
    });
    return group('field-scale', name, field, shown, state);
  },
});

export const plugin: Plugin = {
  name: 'rating',
  fields: [rating, scale],
  messages: {
    en: {
      rating_of: '{value} of {max}',
      rating_stars: { count: 'stars', one: '{stars} star', other: '{stars} stars' },
    },
  },
};
