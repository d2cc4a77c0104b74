import { html } from '../base/html.ts';
import { optional, perLanguage, withDefault } from '../schema/keys.ts';
import { label, number } from '../schema/kinds.ts';
import { fieldType } from './field_type.ts';
import { initialNumber, numberOptions, numbersIn, numberValues, oneNumber } from './number_choices.ts';
import { choiceGroup } from './option_list.ts';

export const scale = fieldType({
  type: 'scale',
  summary: 'A number from 0 to 10, with words at both ends; radio buttons underneath.',
  missing: { code: 'missing_option' },
  layout: 'radiogroup',
  inJson: 'number',
  keys: {
    min: withDefault('0', 'The first number.', number({ least: 0, most: 1, whole: true })),
    max: withDefault('10', 'The last number.', number({ least: 2, most: 10, whole: true })),
    low: optional('The words at the first number, such as `Not at all likely`.', perLanguage(label())),
    high: optional('The words at the last number, such as `Very likely`.', perLanguage(label())),
  },
  problems: initialNumber,
  possibleValues: numberValues,
  check: oneNumber,
  inLanguage: (field, say, language) => ({
    options: numberOptions(field, say),
    shown: numbersIn(language, field),
  }),
  control: ({ name, low, high, options = [], shown = [] }, state) => {
    const labelled = options.map(({ value }, index) => {
      const words = index === 0 ? low : index === options.length - 1 ? high : undefined;
      const atEnd = words !== undefined && html` <span class="scale-words">${words}</span>`;
      return { value, label: html`<span class="choice-words">${shown[index]}</span>${atEnd}` };
    });
    return html`<div class="field-scale">\n${choiceGroup('radio', { name, options: labelled }, state)}</div>\n`;
  },
});
