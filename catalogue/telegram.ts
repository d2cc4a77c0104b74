/** Telegram: a message in a chat, from a bot. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'telegram',
  outputs: [
    kit.output({
      type: 'telegram',
      title: 'Telegram',
      summary: 'Posts to a Telegram chat, as a bot (from @BotFather) that is a member.',
      aliases: ['telegram_bot', 'telegram_message', 'tg'],
      sample: { token: '{{ env "TELEGRAM_TOKEN" }}', chat_id: -1001234567890 },
      keys: {
        token: kit.key.required('Token of the bot, as `{{ env "NAME" }}`.', kit.key.secret('TELEGRAM_TOKEN')),
        chat_id: kit.key.required(
          'Chat: `@name` of a public channel, or a number, which `https://api.telegram.org/bot<token>/getUpdates` shows after a message there.',
          kit.key.template({ submitted: false }),
        ),
        server: kit.key.withDefault(
          'https://api.telegram.org',
          'Your own Bot API server.',
          kit.key.httpUrl(),
        ),
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      open: ({ server, token, chat_id, title }) => {
        const judge = (answer: PlainAnswer) => verdictOf(answer, kit.fail);
        const methodsOf = (rendered: string) => {
          const bot = rendered.trim();
          if (!/^[\w:-]+$/.test(bot))
            throw kit.fail('`token` is not a Telegram token; check the environment variable');
          return `bot${bot}`;
        };
        return {
          target: server,
          send: ({ message, template }, { http }) =>
            http.send({
              url: server,
              path: `${methodsOf(template(token))}/sendMessage`,
              json: {
                chat_id: template(chat_id).trim(),
                ...message(textOf, { title, fits }),
                link_preview_options: { is_disabled: true },
              },
              judge,
            }),
          probe: async ({ http, template }) => {
            const methods = methodsOf(template(token));
            const query = { chat_id: template(chat_id).trim() };
            await http.send({ method: 'GET', url: server, path: `${methods}/getMe`, judge });
            await http.send({ method: 'GET', url: server, path: `${methods}/getChat`, query, judge });
            return [{ level: 'ok', says: 'the bot exists, and is in the chat' }];
          },
        };
      },
    }),
  ],
});
export default make;

type Part = readonly [text: string, type?: 'bold' | 'code' | 'pre'];

/**
 * The text, and the types of its parts, in UTF-16 units. Outside of code, Telegram detects mentions, links
 * and commands, so visitors' text is code.
 */
function textOf({ title, isTitleSubmitted, rows, notes }: ReadableMessage) {
  const parts: readonly Part[] = [
    [title, isTitleSubmitted ? 'code' : 'bold'],
    ...rows.flatMap(({ label, value }): Part[] => [
      ['\n\n'],
      [`${label}:`, 'bold'],
      [value.includes('\n') ? '\n' : ' '],
      [value, value.includes('\n') ? 'pre' : 'code'],
    ]),
    ...notes.flatMap((note): Part[] => [['\n\n'], [note, 'code']]),
  ];
  let text = '';
  const entities: object[] = [];
  for (const [part, type] of parts) {
    if (type) entities.push({ type, offset: text.length, length: part.length });
    text += part;
  }
  return { text, entities };
}

/** https://core.telegram.org/bots/api#sendmessage: 4,096 characters in a message, and 100 typed parts. */
const fits = ({ text, entities }: ReturnType<typeof textOf>) =>
  text.length <= 4_096 && entities.length <= 100;

/** Telegram has no error codes except the status. These descriptions tell the owner what to do. */
const phrases = [
  'chat not found',
  'bot was kicked',
  'bot was blocked',
  'bot is not a member',
  'not enough rights',
  'TOPIC_CLOSED',
];

function verdictOf({ status, at }: PlainAnswer, fail: (why: string) => Error) {
  const movedTo = at('parameters.migrate_to_chat_id');
  if (typeof movedTo === 'number')
    throw fail(`the group became a supergroup, which has another id; write \`chat_id: "${movedTo}"\``);
  const description = String(at('description'));
  return {
    isTaken: at('ok') === true,
    code: phrases.find((one) => description.includes(one))?.replaceAll(' ', '_'),
    afterMs: Number(at('parameters.retry_after')) * 1_000,
    isPassing: status >= 500,
  };
}
