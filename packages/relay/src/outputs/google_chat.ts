import { valueAt } from '../transports/http/answer.ts';
import type { AnyAnswer } from '../transports/http/http_transport.ts';
import { chatMessage, chatText, chatVerdict, jsonBytes, webhookChat, withQuery } from './chat_outputs.ts';
import { addressOf } from './http_outputs.ts';
import { outputType } from './output.ts';

export const googleChat = outputType({
  ...webhookChat,
  type: 'google_chat',
  summary: 'Writes into a space of Google Chat, through its webhook.',
  message: (output, job, scope) => {
    const text = chatText(output, job, scope, limits);
    const { title, entries, footer } = text;
    const { url, addressFrom } = addressOf(output, scope);
    const widgets = [
      `<b>${escaped(title)}</b>`,
      ...entries.map(({ label, value }) => `<b>${escaped(label)}</b><br>${escaped(value)}`),
      ...footer.map(escaped),
    ].map((text) => ({ textParagraph: { text } }));
    // With the id of an earlier request, Google Chat answers with its message, and writes none.
    return chatMessage(
      job,
      text,
      { url: withQuery(url, 'requestId', job.id), addressFrom },
      { cardsV2: [{ cardId: 'submission', card: { sections: [{ widgets }] } }] },
    );
  },
  verdict: (_, answer: AnyAnswer) =>
    chatVerdict(answer, {
      isTaken: (json) => typeof valueAt(json, 'name') === 'string',
      codeAt: 'error.status',
      passing: ['RESOURCE_EXHAUSTED', 'UNAVAILABLE', 'INTERNAL'],
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
