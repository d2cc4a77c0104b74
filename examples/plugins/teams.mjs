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
      open: (output, { services }) => ({
        ...kit.destination.describe(output),
        send: ({ id, formId, payload, request: parts }, timeoutMs) => {
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
          const request = {
            ...parts,
            id,
            url: kit.destination.url(output, services),
            contentType: 'application/json',
            body: JSON.stringify({ type: 'message', attachments: [card] }),
          };
          return kit.destination.send(request, timeoutMs, services).then(() => undefined);
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
