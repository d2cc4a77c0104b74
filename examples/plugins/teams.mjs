/** An output: writes into a channel or chat of Microsoft Teams, through a workflow that starts with a webhook. */
export default (kit) => ({
  name: 'teams',
  outputs: [
    kit.output({
      type: 'teams',
      summary:
        'Writes into a channel or chat of Microsoft Teams, through a workflow that starts with a webhook.',
      keys: kit.destination.keys,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: (address) => ({
        target: address,
        send: ({ formId, payload }, { http }) => {
          const lines = payload.flatMap(([key, values]) => [
            line(key, { weight: 'Bolder' }),
            ...values
              .join(', ')
              .split('\n')
              .map((text) => line(text)),
          ]);
          const content = {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [line(formId, { weight: 'Bolder', size: 'Medium' }), ...lines],
          };
          const card = { contentType: 'application/vnd.microsoft.card.adaptive', content };
          return http.send({ url: address, json: { type: 'message', attachments: [card] } });
        },
      }),
    }),
  ],
});

/** A run of text, in which a card looks for no markup; in a `TextBlock` it would. Line breaks are not possible. */
const line = (text, looks = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: text.trim() || '\u00a0', ...looks }],
});
