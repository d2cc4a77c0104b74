import { html } from '../base/html.ts';
import { withDefault } from '../schema/keys.ts';
import { choice, number } from '../schema/kinds.ts';
import { fieldType } from './field_type.ts';
import {
  initialNumber,
  numberOptions,
  numbersIn,
  numbersOf,
  numberValues,
  oneNumber,
} from './number_choices.ts';
import { choiceGroup } from './option_list.ts';

export const rating = fieldType({
  type: 'rating',
  summary: 'A number of stars, or a number from 1 up; radio buttons underneath.',
  missing: { code: 'missing_option' },
  layout: 'radiogroup',
  inJson: 'number',
  keys: {
    max: withDefault('5', 'The best rating. The worst is 1.', number({ least: 2, most: 10, whole: true })),
    shown_as: withDefault(
      'stars',
      'Whether visitors choose `stars` or `numbers`. Stars need the relay’s stylesheet; without it, visitors read “3 stars”.',
      choice(['stars', 'numbers']),
    ),
  },
  problems: ({ max, value }) => initialNumber({ min: 1, max, value }),
  possibleValues: ({ max }) => numberValues({ min: 1, max }),
  check: oneNumber,
  inLanguage: ({ max, shown_as }, say, language) => ({
    options: numberOptions({ min: 1, max }, say),
    shown:
      shown_as === 'numbers'
        ? numbersIn(language, { min: 1, max })
        : numbersOf({ min: 1, max }).map((stars) => say({ code: 'rating_stars', params: { stars } })),
  }),
  control: ({ name, options = [], shown = [], shown_as }, state) => {
    const labelled = options.map(({ value }, index) => ({
      value,
      label: html`<span class="choice-words">${shown[index]}</span>`,
    }));
    const className = shown_as === 'stars' ? 'field-stars' : 'field-scale';
    return html`<div class="${className}">\n${choiceGroup('radio', { name, options: labelled }, state)}</div>\n`;
  },
});
