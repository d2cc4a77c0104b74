/** A field type: a colour, which outputs get as `#rrggbb`. */
export default (kit) => ({
  name: 'color',
  messages: {
    en: { not_a_color: 'Choose a colour.' },
    de: { not_a_color: 'Wählen Sie eine Farbe.' },
  },
  fields: [
    kit.field({
      type: 'color',
      summary: 'A colour, as `#rrggbb`.',
      keys: {},
      card: { title: 'Colour', purpose: 'Choice', words: 'paint hue', sample: { label: 'Colour' } },
      samples: () => [['#0066cc']],
      checkValue: (_, value) => (/^#[\da-f]{6}$/i.test(value) ? undefined : { code: 'not_a_color' }),
      control: (field, state) => kit.html.input('color', field, state),
    }),
  ],
});
