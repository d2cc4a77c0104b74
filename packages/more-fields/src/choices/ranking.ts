/** `type: ranking`. */
import type { Plugin } from '@form-relay/core/index';
import {
  attributes,
  controlAttributes,
  fieldType,
  html,
  offered,
  optionProblems,
  options,
  optionWords,
  partId,
  textParam,
} from '@form-relay/core/kit';

/** The words that its script shows and says, as attributes. */
const spoken = {
  'data-up': 'ranking_up',
  'data-down': 'ranking_down',
  'data-moved': 'ranking_moved',
  'data-unranked': 'ranking_unranked',
  'data-keep': 'ranking_keep',
  'data-clear': 'ranking_clear',
} as const;

/** A list for each place, all with the field's name: browsers send their values from the first place to the last. */
const ranking = fieldType({
  type: 'ranking',
  summary: 'Options in the visitor’s order, the first the best.',
  card: {
    title: 'Ranking',
    purpose: 'Choice',
    words: 'order sort priority drag preference favourite',
    sample: { label: 'Put these in order', options: ['First choice', 'Second choice', 'Third choice'] },
  },
  missing: ({ options }) => ({ code: 'ranking_incomplete', params: { places: options.length } }),
  hint: ({ options }) => ({ code: 'ranking_hint', params: { places: options.length } }),
  layout: 'group',
  keys: { options },
  problems: optionProblems,
  offered,
  takesSeveral: () => true,
  check: ({ options }, values) => {
    const twice = options.find(({ value }) => values.indexOf(value) !== values.lastIndexOf(value));
    if (twice) return { code: 'ranking_twice', params: { option: textParam(twice.label) } };
    return values.length < options.length
      ? { code: 'ranking_incomplete', params: { places: options.length } }
      : undefined;
  },
  words: (field, stored, locale) =>
    optionWords(field, stored, locale).map((word, index) => `${index + 1}. ${word}`),
  part: 'ranking',
  control: (field, state) => {
    const { locale, id, values, classes } = state;
    const { translate, text } = locale;
    const places = field.options.map((_, index) => {
      const place = index + 1;
      const choices = field.options.map(
        ({ value, label }) =>
          html`<option${attributes({ value, selected: values[index] === value })}>${text(label)}</option>`,
      );
      const own = {
        ...controlAttributes(field, { ...state, autofocus: state.autofocus && index === 0 }, 'select'),
        id: index === 0 ? id : partId(id, place),
        autocomplete: 'off',
        'aria-describedby': state.invalid ? state.describedBy : undefined,
      };
      return html`<label class="ranking-place"><span>${translate({ code: 'ranking_place', params: { place } })}</span> <select${attributes(own)}><option value="">${translate({ code: 'select_prompt' })}</option>${choices}</select></label>\n`;
    });
    const params = { option: '{option}', place: '{place}', places: field.options.length };
    const words = Object.entries(spoken).map(([name, code]) => [name, translate({ code, params })]);
    const about = { ...Object.fromEntries(words), 'data-button-class': classes.back ?? classes.button };
    return html`<div class="field-ranking"${attributes(about)}>\n${places}</div>\n`;
  },
});

export const plugin: Plugin = {
  name: 'ranking',
  fields: [ranking],
  messages: {
    en: {
      ranking_hint: 'Put all of them in order, the first the best.',
      ranking_place: 'Place {place}',
      ranking_incomplete: 'Choose one option for each of the {places} places.',
      ranking_twice: '“{option}” has two places. Give each option one place.',
      ranking_up: 'Move up: {option}',
      ranking_down: 'Move down: {option}',
      ranking_moved: '{option}: place {place} of {places}',
      ranking_unranked: 'Not in order yet. Move an option, or keep this order.',
      ranking_keep: 'Keep this order',
      ranking_clear: 'Take the order back',
    },
  },
};
