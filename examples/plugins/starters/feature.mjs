/** A check: rejects submissions that contain a word banned by the form. */
export default (kit) => ({
  name: 'my-plugin',
  messages: {
    en: { my_plugin_refused: 'Please leave this word out.' },
    de: { my_plugin_refused: 'Bitte lassen Sie dieses Wort weg.' },
  },
  features: [
    kit.feature({
      name: 'my_plugin',
      keys: {
        spam: {
          my_plugin: kit.key.optional('Words that no submission may hold.', kit.key.list(kit.key.text())),
        },
      },
      configure: ({ spam: { my_plugin: words } }) => {
        if (!words) return undefined;
        return {
          cards: [{ name: 'my_plugin', says: `refuses ${words.join(', ')}` }],
          afterValidation: kit.guard(({ values }) =>
            words.some((word) => [...values.values()].flat().join('\n').toLowerCase().includes(word))
              ? kit.refused(422, 'my_plugin_refused')
              : undefined,
          ),
        };
      },
    }),
  ],
});
