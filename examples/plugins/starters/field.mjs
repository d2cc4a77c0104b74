/** A field type: a car's number plate, such as `B-FR 2026`. */
export default (kit) => ({
  name: 'my-plugin',
  messages: {
    en: { my_plugin_malformed: 'Enter a number plate such as B-FR 2026.' },
    de: { my_plugin_malformed: 'Schreiben Sie es wie B-FR 2026.' },
  },
  fields: [
    kit.field({
      type: 'my-plugin',
      summary: 'The number plate of a car.',
      keys: {},
      card: { title: 'Number plate', purpose: 'Text', words: 'car', sample: { label: 'Number plate' } },
      samples: () => [['B-FR 2026']],
      normalizeValue: (_, value) => value.trim().toUpperCase(),
      checkValue: (_, value) =>
        /^[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} \d{1,4}$/.test(value) ? undefined : { code: 'my_plugin_malformed' },
      control: (field, state) => kit.html.input('text', field, state),
    }),
  ],
});
