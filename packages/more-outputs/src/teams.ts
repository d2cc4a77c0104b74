import { valueAt } from '@form-relay/core/kit';
import { chatPlugin } from './chat.ts';
import { jsonBytes } from './chat_text.ts';

export const plugin = chatPlugin({
  type: 'teams',
  summary: 'Writes into a channel or chat of Microsoft Teams, through a workflow that starts with a webhook.',
  // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: 28 KB in a message.
  limits: { title: 250, label: 250, value: 10_000, entries: 100, total: 26_000, perEntry: 200, sizeOf },
  body: ({ title, entries, footer }) => {
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        line(title, { weight: 'Bolder', size: 'Medium' }),
        ...entries.flatMap(({ label, value }) => [
          line(label, { weight: 'Bolder' }),
          ...value.split('\n').map((one) => ({ ...line(one), spacing: 'None' })),
        ]),
        ...footer.map((one) => line(one, { isSubtle: true })),
      ],
    };
    const card = { contentType: 'application/vnd.microsoft.card.adaptive', content };
    return { type: 'message', attachments: [card] };
  },
  meaningOf: ({ status, body }) => ({
    // 202 says that the workflow has begun. One with an answer of its own may say that in JSON. A page to sign in, an
    // error in words, and JSON that says no are no success.
    isTaken: (json) =>
      status === 202 ||
      body.trim() === '' ||
      (json !== undefined && !valueAt(json, 'error') && valueAt(json, 'ok') !== false),
    codeAt: 'error.code',
  }),
});

/** A run of text, in which a card looks for no markup; in a `TextBlock` it would. It takes no line breaks. */
const line = (text: string, looks: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: text === '' ? '\u00a0' : text, ...looks }],
});

function sizeOf(text: string): number {
  return jsonBytes(text) + 90 * (text.split('\n').length - 1);
}
