/** Google Chat: a card in a space, through its webhook. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'google_chat',
  outputs: [
    kit.output({
      type: 'google_chat',
      title: 'Google Chat',
      summary: 'Posts to a Google Chat space, through its webhook (Apps & integrations, Webhooks).',
      aliases: ['gchat', 'google_chat_webhook', 'hangouts', 'hangouts_chat'],
      sample: { url_env: 'GOOGLE_CHAT_URL' },
      keys: {
        ...kit.destination.keys,
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: ({ url, url_env, title }) => ({
        target: { url, url_env },
        send: ({ id, message }, { http }) =>
          http.send({
            url: { url, url_env },
            // If a request repeats an earlier id, Google Chat returns the earlier message, and posts no second one.
            query: { requestId: id },
            json: message(cardOf, { title, fits }),
            judge,
          }),
      }),
    }),
  ],
});
export default make;

const cardOf = ({ title, rows, notes }: ReadableMessage) => {
  const texts = [
    `<b>${escaped(title)}</b>`,
    ...rows.map(({ label, value }) => `<b>${escaped(label)}</b><br>${escaped(value)}`),
    ...notes.map(escaped),
  ];
  const widgets = texts.map((text) => ({ textParagraph: { text } }));
  return { cardsV2: [{ cardId: 'submission', card: { sections: [{ widgets }] } }] };
};

/** A card is HTML. A plain `text` could notify everyone through `<users/all>`. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');

/** https://developers.google.com/workspace/chat/api/reference/rest/v1: 32,000 bytes in a message, 100 widgets in a card. */
const fits = ({ cardsV2: [one] }: ReturnType<typeof cardOf>) =>
  Buffer.byteLength(JSON.stringify(one)) <= 31_900 && (one?.card.sections[0]?.widgets.length ?? 0) <= 100;

const judge = ({ status, at }: PlainAnswer) => ({
  isTaken: typeof at('name') === 'string',
  code: at('error.status'),
  isPassing: status >= 500 || at('error.status') === 'RESOURCE_EXHAUSTED',
});
