/** `type: scale`. */
import type { Plugin } from '@form-relay/core/index';
import {
  choiceGroup,
  fieldType,
  html,
  label,
  localizedText,
  number,
  numbers,
  oneAlone,
  optional,
  withDefault,
} from '@form-relay/core/kit';
import { initialNumber, numberMessages, numbersIn, numberValues, numberWords } from './numbers.ts';

const scale = fieldType({
  type: 'scale',
  samples: (field) => [numberValues(field).slice(-2, -1)],
  summary: 'A number from 0 to 10, with words at both ends; radio buttons underneath.',
  card: {
    title: 'Scale',
    purpose: 'Choice',
    words: 'likert nps opinion recommend score from 0 to 10',
    sample: { label: 'Would you recommend us?', low: 'Not at all likely', high: 'Very likely' },
  },
  missing: 'missing_option',
  layout: 'radiogroup',
  keys: {
    min: withDefault('0', 'The first number.', number({ least: 0, most: 1, whole: true })),
    max: withDefault('10', 'The last number.', number({ least: 2, most: 10, whole: true })),
    low: optional('The words at the first number, such as `Not at all likely`.', localizedText(label())),
    high: optional('The words at the last number, such as `Very likely`.', localizedText(label())),
  },
  problems: initialNumber,
  offered: numberValues,
  check: oneAlone,
  words: (field, stored, locale) => numberWords(field, stored, locale),
  json: (_, stored) => numbers(stored),
  control: (field, state) => {
    const { name, low, high } = field;
    const { language, text } = state.locale;
    const shown = numbersIn(language, field);
    const options = numberValues(field).map((value, index) => {
      const words = index === 0 ? low : index === shown.length - 1 ? high : undefined;
      const atEnd = words !== undefined && html` <span class="scale-words">${text(words)}</span>`;
      return { value, label: html`<span class="choice-words">${shown[index]}</span>${atEnd}` };
    });
    return html`<div class="field-scale">\n${choiceGroup('radio', name, options, state)}</div>\n`;
  },
});

export const plugin: Plugin = { name: 'scale', fields: [scale], messages: { en: numberMessages } };
