/** An output: writes into a space of Google Chat, through its webhook. */
export default (kit) => ({
  name: 'google_chat',
  outputs: [
    kit.output({
      type: 'google_chat',
      summary: 'Writes into a space of Google Chat, through its webhook.',
      keys: kit.destination.keys,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: (address) => ({
        target: address,
        send: ({ id, formId, payload }, { http }) => {
          const lines = payload.map(([key, values]) => `<b>${key}</b><br>${escaped(values.join(', '))}`);
          const widgets = [`<b>${formId}</b>`, ...lines].map((text) => ({ textParagraph: { text } }));
          const json = { cardsV2: [{ cardId: id, card: { sections: [{ widgets }] } }] };
          // With the id of an earlier request, Google Chat answers with its message, and writes none.
          return http.send({ url: address, query: { requestId: id }, json });
        },
      }),
    }),
  ],
});

/** A card is HTML; a plain `text` would notify everyone through `<users/all>`. */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>');
