/** An output: writes into a channel of Zulip. */
import type { MakePlugin } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'zulip',
  summary: 'Writes into a channel of Zulip.',
  outputs: [
    kit.output({
      type: 'zulip',
      summary: 'Writes into a channel of Zulip.',
      keys: {
        url: kit.key.required(
          'The organization, such as `https://example.zulipchat.com`.',
          kit.key.httpUrl(),
        ),
        bot: kit.key.required('The address of the bot.', kit.key.address()),
        key: kit.key.required('The API key of the bot.', kit.key.secret('ZULIP_KEY')),
        channel: kit.key.required('The channel.', kit.key.text()),
      },
      open: ({ url, bot, key, channel }) => ({
        target: url,
        send: ({ formId, labelled, template }, { http }) =>
          http.send({
            url: new URL('api/v1/messages', url),
            headers: { authorization: `Basic ${Buffer.from(`${bot}:${template(key)}`).toString('base64')}` },
            form: {
              type: 'channel',
              to: channel,
              topic: formId,
              content: labelled.map(({ label, values }) => `${label}: ${values.join(', ')}`).join('\n'),
            },
          }),
      }),
    }),
  ],
});

export default make;
