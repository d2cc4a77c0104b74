import type { Plugin } from '@form-relay/core/index';
import { addressOf, destinationOf, outputType, valueAt } from '@form-relay/core/kit';
import { chatTransport, webhookChat } from './chat.ts';
import { jsonBytes } from './chat_text.ts';

const teams = outputType({
  ...webhookChat,
  type: 'teams',
  summary: 'Writes into a channel or chat of Microsoft Teams, through a workflow that starts with a webhook.',
  open: (output, context) => ({
    ...destinationOf(output),
    ...chatTransport(output, context, {
      limits,
      request: ({ title, entries, footer }) => {
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
        return {
          url: addressOf(output, context.services),
          body: {
            type: 'message',
            attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
          },
        };
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
    }),
  }),
});

/** A run of text, in which a card looks for no markup; in a `TextBlock` it would. It takes no line breaks. */
const line = (text: string, looks: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: text === '' ? '\u00a0' : text, ...looks }],
});

/** Limits from https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: 28 KB in a message. */
const limits = {
  title: 250,
  label: 250,
  value: 10_000,
  entries: 100,
  total: 26_000,
  perEntry: 200,
  sizeOf: (text: string) => jsonBytes(text) + 90 * (text.split('\n').length - 1),
};

export const teamsPlugin: Plugin = { name: 'teams', outputs: [teams] };
