/** `type: rating`. */
import type { Plugin } from '@form-relay/core/index';
import {
  choiceGroup,
  fieldType,
  html,
  number,
  numbers,
  oneAlone,
  oneOf,
  withDefault,
} from '@form-relay/core/kit';
import { initialNumber, numberMessages, numbersIn, numbersOf, numberValues, numberWords } from './numbers.ts';

const rating = fieldType({
  type: 'rating',
  samples: (field) => [numberValues({ min: 1, max: field.max }).slice(-2, -1)],
  summary: 'A number of stars, or a number from 1 up; radio buttons underneath.',
  card: { title: 'Rating', purpose: 'Choice', words: 'stars score review feedback' },
  missing: 'missing_option',
  layout: 'radiogroup',
  keys: {
    max: withDefault('5', 'The best rating. The worst is 1.', number({ least: 2, most: 10, whole: true })),
    shown_as: withDefault(
      'stars',
      'Whether visitors choose `stars` or `numbers`. Stars need the relay’s stylesheet; without it, visitors read “3 stars”.',
      oneOf(['stars', 'numbers']),
    ),
  },
  problems: (field, at) => initialNumber({ ...field, min: 1 }, at),
  offered: ({ max }) => numberValues({ min: 1, max }),
  check: oneAlone,
  words: (field, stored, locale) => numberWords(field, stored, locale),
  json: (_, stored) => numbers(stored),
  control: ({ name, max, shown_as }, state) => {
    const { language, translate } = state.locale;
    const all = { min: 1, max };
    const shown =
      shown_as === 'numbers'
        ? numbersIn(language, all)
        : numbersOf(all).map((stars) => translate({ code: 'rating_stars', params: { stars } }));
    const options = numberValues(all).map((value, index) => ({
      value,
      label: html`<span class="choice-words">${shown[index]}</span>`,
    }));
    const className = shown_as === 'stars' ? 'field-stars' : 'field-scale';
    return html`<div class="${className}">\n${choiceGroup('radio', name, options, state)}</div>\n`;
  },
});

export const plugin: Plugin = {
  name: 'rating',
  fields: [rating],
  messages: {
    en: {
      ...numberMessages,
      rating_stars: { count: 'stars', one: '{stars} star', other: '{stars} stars' },
    },
  },
};
