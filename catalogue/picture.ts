/** A key of options: a picture above the text of radio buttons and boxes. */
import type { Field, MakePlugin, Option } from 'form-relay/plugin';

type Pictured = Option & { readonly picture?: URL };

const picturesOf = ({ options = [] }: Field): readonly URL[] =>
  options.flatMap(({ picture }: Pictured) => picture ?? []);

const make: MakePlugin = (kit) => ({
  name: 'picture',
  summary: 'Pictures of options: radio buttons and boxes.',
  fieldExtensions: [
    kit.extension.field({
      name: 'picture',
      types: ['radios', 'checkboxes'],
      keys: {},
      optionKeys: {
        picture: kit.key.optional(
          'Address of a picture above the label, for `radios` and `checkboxes`.',
          kit.key.httpUrl(),
        ),
      },
      configure: (field) => {
        if (picturesOf(field).length === 0) return undefined;
        const { name, type, options = [] } = field;
        return {
          control: (state) => {
            const { tag, choices } = kit.html;
            const pictured = options.map(({ label, picture, ...option }: Pictured) => {
              const words = state.locale.text(label);
              // The text next to it describes it.
              const image = picture && tag`<img src="${picture.href}" alt="" loading="lazy">`;
              return {
                ...option,
                label: tag`<span class="choice-picture">${image}<span>${words}</span></span>`,
              };
            });
            return choices(type === 'radios' ? 'radio' : 'checkbox', name, pictured, state);
          },
        };
      },
    }),
  ],
  features: [
    kit.feature({
      name: 'picture',
      configure: ({ fields }) => {
        const all = fields.flatMap((field) => [field, ...(field.inputs?.all ?? [])]).flatMap(picturesOf);
        const origins = [...new Set(all.map(({ origin }) => origin))];
        return origins.length > 0 ? { markup: () => ({ sources: { 'img-src': origins } }) } : undefined;
      },
    }),
  ],
});

export default make;
