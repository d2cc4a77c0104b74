/** An output: writes into a space of Google Chat, through its webhook. */
export default (kit) => ({
  name: 'google_chat',
  outputs: [
    kit.output({
      type: 'google_chat',
      summary: 'Writes into a space of Google Chat, through its webhook.',
      keys: kit.destination.keys,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: (output, { services }) => ({
        ...kit.destination.describe(output),
        send: ({ id, formId, payload, request: parts }, timeoutMs) => {
          const lines = payload.map(([key, values]) => `<b>${key}</b><br>${escaped(values.join(', '))}`);
          const widgets = [`<b>${formId}</b>`, ...lines].map((text) => ({ textParagraph: { text } }));
          const body = JSON.stringify({ cardsV2: [{ cardId: id, card: { sections: [{ widgets }] } }] });
          const url = new URL(kit.destination.url(output, services));
          // With the id of an earlier request, Google Chat answers with its message, and writes none.
          url.searchParams.set('requestId', id);
          const request = { ...parts, id, url, contentType: 'application/json', body };
          return kit.destination.send(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});

/** A card is HTML; a plain `text` would notify everyone through `<users/all>`. */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>');
