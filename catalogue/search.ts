/** A key for long lists: visitors find an option by typing a part of it. */
import type { Field, MakePlugin } from 'form-relay/plugin';
import { words } from './search_words.ts';

type Searched = Field & { readonly search?: boolean; readonly multiple?: boolean };

const isSearched = (field: Searched): boolean => field.search === true;

const make: MakePlugin = (kit) => ({
  name: 'search',
  summary: 'A search in long lists: select and country.',
  messages: words,
  scripts: { search: async () => (await import('./built/search.ts')).default },
  fieldExtensions: [
    kit.extension.field({
      name: 'search',
      types: ['select', 'country'],
      keys: {
        search: kit.key.withDefault(
          'false',
          'Whether visitors can type part of an option to find it. Without JavaScript, a plain list appears.',
          kit.key.boolean(),
        ),
      },
      configure: (field: Searched, at) => {
        if (!isSearched(field)) return undefined;
        if (field.multiple)
          at.in('search').error('a list with `multiple` cannot have a search; remove one of the two');
        const { control } = field;
        return {
          control: (state) => {
            const [none, found] = ['none', 'found'].map((one) =>
              state.locale.translate({ code: `search_${one}`, params: { count: '{count}' } }),
            );
            return kit.html
              .tag`<div class="field-search" data-none="${none}" data-found="${found}" data-input-class="${state.classes.input}">${control(state)}</div>`;
          },
        };
      },
    }),
  ],
  features: [
    kit.feature({
      name: 'search',
      configure: ({ fields }) => {
        const isUsed = fields.flatMap((field) => [field, ...(field.inputs?.all ?? [])]).some(isSearched);
        return isUsed ? { markup: () => ({ part: 'search' }) } : undefined;
      },
    }),
  ],
});

export default make;
