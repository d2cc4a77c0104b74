import type { Plugin } from '@form-relay/core/index';
import { addressOf, destinationOf, outputType, valueAt } from '@form-relay/core/kit';
import { chatTransport, webhookChat, withQuery } from './chat.ts';
import { jsonBytes } from './chat_text.ts';

const googleChat = outputType({
  ...webhookChat,
  type: 'google_chat',
  summary: 'Writes into a space of Google Chat, through its webhook.',
  open: (output, context) => ({
    ...destinationOf(output),
    ...chatTransport(output, context, {
      limits,
      request: ({ title, entries, footer }, { id }) => {
        const widgets = [
          `<b>${escaped(title)}</b>`,
          ...entries.map(({ label, value }) => `<b>${escaped(label)}</b><br>${escaped(value)}`),
          ...footer.map(escaped),
        ].map((text) => ({ textParagraph: { text } }));
        return {
          // With the id of an earlier request, Google Chat answers with its message, and writes none.
          url: withQuery(addressOf(output, context.services), 'requestId', id),
          body: { cardsV2: [{ cardId: 'submission', card: { sections: [{ widgets }] } }] },
        };
      },
      meaningOf: () => ({
        isTaken: (json) => typeof valueAt(json, 'name') === 'string',
        codeAt: 'error.status',
        passing: ['RESOURCE_EXHAUSTED', 'UNAVAILABLE', 'INTERNAL'],
      }),
    }),
  }),
});

/** Escapes a text for a card, which is HTML. A plain `text` would notify everyone through `<users/all>`. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');

/** Limits from https://developers.google.com/workspace/chat/api/reference/rest/v1: 32,000 bytes, 100 widgets. */
const limits = {
  title: 500,
  label: 500,
  value: 20_000,
  entries: 90,
  total: 30_000,
  perEntry: 60,
  sizeOf: (text: string) => jsonBytes(escaped(text)),
};

export const googleChatPlugin: Plugin = { name: 'google_chat', outputs: [googleChat] };
