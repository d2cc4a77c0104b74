/** A field type: options in the visitor's order. */
import type { MakePlugin } from 'form-relay/plugin';
import { words } from './ranking_words.ts';

/** The texts for the script, as attributes. */
const spoken = ['up', 'down', 'moved', 'unranked', 'keep', 'clear'];

const make: MakePlugin = (kit) => ({
  name: 'ranking',
  summary: 'A field whose options visitors put in order.',
  messages: words,
  scripts: { ranking: async () => (await import('./built/ranking.ts')).default },
  fields: [
    kit.field({
      type: 'ranking',
      summary: 'Options to put in order, best first.',
      card: {
        title: 'Ranking',
        purpose: 'Choice',
        words: 'order sort priority drag preference favourite',
        sample: { label: 'Put these in order', options: ['First choice', 'Second choice', 'Third choice'] },
      },
      keys: {
        options: kit.key.required(
          'Choices to put in order (`[small, large]`): texts, or `{value: …, label: …}`.',
          kit.key.options(),
        ),
      },
      problems: ({ options = [], value = [] }, at) => {
        for (const one of value)
          if (options.every((option) => option.value !== one))
            at.in('value').error(`"${one}" is not one of the options`);
      },
      layout: 'group',
      missing: ({ options }) => ({ code: 'ranking_incomplete', params: { places: options.length } }),
      hint: () => ({ code: 'ranking_hint' }),
      samples: ({ options }) => [options.map(({ value }) => value)],
      offered: ({ options }) => options.map(({ value }) => value),
      takesSeveral: () => true,
      check: ({ options }, values, { form, request }) => {
        const twice = options.find(({ value }) => values.indexOf(value) !== values.lastIndexOf(value));
        if (twice) {
          const option = form.locale(request).text(twice.label);
          return { code: 'ranking_twice', params: { option } };
        }
        return values.length < options.length
          ? { code: 'ranking_incomplete', params: { places: options.length } }
          : undefined;
      },
      shape: 'block',
      words: ({ options }, stored, { text }) =>
        stored.map((value, index) => {
          const option = options.find((one) => one.value === value);
          return `${index + 1}. ${text(option?.label ?? value)}`;
        }),
      part: 'ranking',
      // Renders a list per place, all with the field's name, because browsers send the values in the order of the lists.
      control: (field, state) => {
        const { tag, attributes } = kit.html;
        const { translate, text } = state.locale;
        const places = field.options.map((_, index) => {
          const own = {
            ...state,
            id: index === 0 ? state.id : `${state.id}--${index + 1}`,
            autofocus: state.autofocus && index === 0,
            // The group has the description, but screen readers must read the error at each list.
            describedBy: state.invalid ? state.describedBy : undefined,
            classes: { ...state.classes, input: state.classes.select },
          };
          const choices = field.options.map(({ value, label }) =>
            state.values[index] === value
              ? tag`<option value="${value}" selected>${text(label)}</option>`
              : tag`<option value="${value}">${text(label)}</option>`,
          );
          const place = translate({ code: 'ranking_place', params: { place: index + 1 } });
          return tag`<label class="ranking-place"><span>${place}</span> <select${attributes(field, own)}><option value="">${translate({ code: 'select_prompt' })}</option>${choices}</select></label>\n`;
        });
        const params = { option: '{option}', place: '{place}', places: field.options.length };
        const [up, down, moved, unranked, keep, clear] = spoken.map((one) =>
          translate({ code: `ranking_${one}`, params }),
        );
        return tag`<div class="field-ranking" data-up="${up}" data-down="${down}" data-moved="${moved}" data-unranked="${unranked}" data-keep="${keep}" data-clear="${clear}" data-button-class="${state.classes.back ?? state.classes.button}">\n${places}</div>\n`;
      },
    }),
  ],
});

export default make;
