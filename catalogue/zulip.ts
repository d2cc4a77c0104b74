/** Zulip: a message in a channel, from a bot. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'zulip',
  outputs: [
    kit.output({
      type: 'zulip',
      title: 'Zulip',
      summary: 'Posts to a Zulip channel, as a bot (Settings, Your bots).',
      sample: {
        url: 'https://example.zulipchat.com',
        bot: 'forms-bot@example.zulipchat.com',
        key: '{{ env "ZULIP_KEY" }}',
        channel: 'sales',
      },
      keys: {
        url: kit.key.required('Organization, such as `https://example.zulipchat.com`.', kit.key.httpUrl()),
        bot: kit.key.required(
          'E-mail address of the bot, such as `forms-bot@example.zulipchat.com`.',
          kit.key.address(),
        ),
        key: kit.key.required('API key of the bot, as `{{ env "NAME" }}`.', kit.key.secret('ZULIP_KEY')),
        channel: kit.key.required('Name of the channel.', kit.key.template({ submitted: false })),
        topic: kit.key.optional('Topic. Default: the form’s name.', kit.key.template()),
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      open: ({ url, bot, key, channel, topic, title }) => ({
        target: url,
        send: ({ formId, message, template }, { http }) =>
          http.send({
            url,
            path: 'api/v1/messages',
            headers: { authorization: basic(bot, template(key)) },
            form: {
              type: 'stream',
              to: template(channel).trim(),
              topic: [...((topic && plainLine(template(topic))) || formId)].slice(0, 60).join(''),
              ...message(textOf, { title, fits }),
            },
            judge,
          }),
        probe: async ({ http, template }) => {
          const headers = { authorization: basic(bot, template(key)) };
          await http.send({ method: 'GET', url, path: 'api/v1/users/me', headers, judge });
          return [{ level: 'ok', says: 'the bot exists' }];
        },
      }),
    }),
  ],
});
export default make;

const basic = (email: string, key: string) =>
  `Basic ${Buffer.from(`${email.trim()}:${key.trim()}`).toString('base64')}`;

const plainLine = (text: string) => text.replaceAll(/[\0-\x1f\x7f-\x9f]+/g, ' ').trim();

const textOf = ({ title, isTitleSubmitted, rows, notes }: ReadableMessage) => ({
  content: [
    isTitleSubmitted ? code(title) : `**${owned(title)}**`,
    ...rows.map(
      ({ heading, value, isBlock }) => `**${owned(heading)}**${isBlock ? '\n' : ' '}${code(value)}`,
    ),
    ...notes.map(code),
  ].join('\n'),
});

/** Formats each line as code, in which mentions and markup have no effect. */
const code = (text: string) => text.replaceAll('`', '\u02cb').replaceAll(/.+/g, '`$&`');

/** The owner's own text. Backslashes do not escape here, so invisible joiners break up possible markup. */
const owned = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '$&\u2060');

/** https://zulip.com/api/send-message: 10,000 characters in a message, 60 in a topic. */
const fits = ({ content }: { readonly content: string }) => [...content].length <= 10_000;

const judge = ({ status, at }: PlainAnswer) => ({
  isTaken: at('result') === 'success',
  code: at('code'),
  afterMs: Number(at('retry-after')) * 1_000,
  isPassing: status >= 500,
});
