/** Discord: a message in a channel, through its webhook. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'discord',
  outputs: [
    kit.output({
      type: 'discord',
      title: 'Discord',
      summary: 'Posts to a Discord channel, through a webhook (Edit Channel, Integrations, Webhooks).',
      aliases: ['discord_webhook', 'discord_message'],
      sample: { url_env: 'DISCORD_URL' },
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
        send: ({ message }, { http }) =>
          http.send({
            url: { url, url_env },
            // Without `wait`, Discord responds before it knows whether it accepts the message.
            query: { wait: 'true' },
            json: { embeds: [message(embedOf, { title, titleMost, fits })], allowed_mentions: { parse: [] } },
            judge,
          }),
        probe: async ({ http }) => {
          await http.send({ method: 'GET', url: { url, url_env }, judge });
          return [{ level: 'ok', says: 'the webhook exists' }];
        },
      }),
    }),
  ],
});
export default make;

const embedOf = ({ title, rows, notes }: ReadableMessage) => ({
  title: escaped(title),
  ...(rows.length > 0 && {
    description: rows.map(({ label, value }) => `**${escaped(label)}**\n> ${quoted(value)}`).join('\n'),
  }),
  ...(notes.length > 0 && { footer: { text: notes.join('\n') } }),
});

/** https://discord.com/developers/docs/resources/message#embed-object: 256 in a title, 4,096 in a description. */
const fits = ({ description = '' }: { readonly description?: string }) => description.length <= 4_096;

/** A title is at most twice as long after escaping. */
const titleMost = 128;

/** A backslash before punctuation prevents Discord from reading it as Markdown. */
const escaped = (text: string) => text.replaceAll(/[\\`*_~|<>#@:()[\]+.!-]/g, '\\$&');
const quoted = (text: string) => escaped(text).replaceAll('\n', '\n> ');

const judge = ({ status, at }: PlainAnswer) => ({
  isTaken: typeof at('id') === 'string',
  code: at('code'),
  afterMs: Number(at('retry_after')) * 1_000,
  isPassing: status >= 500,
});
