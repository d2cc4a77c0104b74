import { valueAt } from '@form-relay/core/kit';
import { webhookChat } from './chat.ts';
import { jsonBytes } from './chat_text.ts';

export const plugin = webhookChat({
  type: 'google_chat',
  summary: 'Writes into a space of Google Chat, through its webhook.',
  // https://developers.google.com/workspace/chat/api/reference/rest/v1: 32,000 bytes, 100 widgets.
  limits: { title: 500, label: 500, value: 20_000, entries: 90, total: 30_000, perEntry: 60, sizeOf },
  // With the id of an earlier request, Google Chat answers with its message, and writes none.
  query: ({ id }) => ['requestId', id],
  body: ({ title, entries, footer }) => {
    const widgets = [
      `<b>${escaped(title)}</b>`,
      ...entries.map(({ label, value }) => `<b>${escaped(label)}</b><br>${escaped(value)}`),
      ...footer.map(escaped),
    ].map((text) => ({ textParagraph: { text } }));
    return { cardsV2: [{ cardId: 'submission', card: { sections: [{ widgets }] } }] };
  },
  meaningOf: () => ({
    isTaken: (json) => typeof valueAt(json, 'name') === 'string',
    codeAt: 'error.status',
    passing: ['RESOURCE_EXHAUSTED', 'UNAVAILABLE', 'INTERNAL'],
  }),
});

/** Escapes a text for a card, which is HTML. A plain `text` would notify everyone through `<users/all>`. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');

function sizeOf(text: string): number {
  return jsonBytes(escaped(text));
}
