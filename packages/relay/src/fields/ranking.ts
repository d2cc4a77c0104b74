import { attributes, html, partId } from '../base/html.ts';
import { withoutEmpty } from '../base/values.ts';
import type { MessageCode } from '../messages/message.ts';
import { backClass } from './classes.ts';
import { fieldType } from './field_type.ts';
import { optionProblems, options, optionValues } from './option_list.ts';
import { controlAttributes } from './text_like.ts';

/** The words that its script shows and says, as attributes. */
const spoken = {
  'data-up': 'ranking_up',
  'data-down': 'ranking_down',
  'data-moved': 'ranking_moved',
  'data-unranked': 'ranking_unranked',
  'data-keep': 'ranking_keep',
  'data-clear': 'ranking_clear',
} as const satisfies Readonly<Record<string, MessageCode>>;

/** A list for each place, all with the field's name: browsers send their values from the first place to the last. */
export const ranking = fieldType({
  type: 'ranking',
  summary: 'Options in the visitor’s order, the first the best.',
  missing: ({ options }) => ({ code: 'ranking_incomplete', params: { places: options.length } }),
  hint: ({ options }) => ({ code: 'ranking_hint', params: { places: options.length } }),
  layout: 'group',
  keys: { options },
  problems: (field) => optionProblems(field),
  possibleValues: optionValues,
  takesSeveral: () => true,
  check: ({ options }, values) => {
    const twice = options.find(({ value }) => withoutEmpty(values).filter((one) => one === value).length > 1);
    if (twice) return { code: 'ranking_twice', params: { option: twice.label } };
    return values.length < options.length
      ? { code: 'ranking_incomplete', params: { places: options.length } }
      : undefined;
  },
  also: () => ({ part: 'ranking', isOrdered: true }),
  control: (field, state) => {
    const { say, id, values } = state;
    const places = field.options.map((_, index) => {
      const place = index + 1;
      const choices = field.options.map(
        ({ value, label }) =>
          html`<option${attributes({ value, selected: values[index] === value })}>${label}</option>`,
      );
      const own = {
        ...controlAttributes(field, { ...state, autofocus: state.autofocus && index === 0 }, 'select'),
        id: index === 0 ? id : partId(id, place),
        autocomplete: 'off',
        'aria-describedby': state.invalid ? state.describedBy : undefined,
      };
      return html`<label class="ranking-place"><span>${say({ code: 'ranking_place', params: { place } })}</span> <select${attributes(own)}><option value="">${say({ code: 'select_prompt' })}</option>${choices}</select></label>\n`;
    });
    const words = Object.entries(spoken).map(([name, code]) => [
      name,
      say({ code, params: { option: '{option}', place: '{place}', places: field.options.length } }),
    ]);
    const about = { ...Object.fromEntries(words), 'data-button-class': backClass(state.classes) };
    return html`<div class="field-ranking"${attributes(about)}>\n${places}</div>\n`;
  },
});
