import { httpUrl, parseJson, required, valueAt, withDefault } from '@form-relay/core/kit';
import { below, chatKeys, chatPlugin, tokenIn } from './chat.ts';
import { failed } from './failures.ts';
import { filled, roomTemplate, secretTemplate } from './templates.ts';

export const plugin = chatPlugin({
  type: 'telegram',
  summary: 'Writes into a Telegram chat, as a bot.',
  keys: {
    token: required('The token of the bot. Only as `{{ env "NAME" }}`.', secretTemplate('TELEGRAM_TOKEN')),
    chat_id: required(
      'The chat: a number, which is below 0 for groups, or `@name` of a public channel.',
      roomTemplate(),
    ),
    server: withDefault('https://api.telegram.org', 'The Bot API, where it is one of your own.', httpUrl()),
    ...chatKeys,
  },
  // https://core.telegram.org/bots/api#sendmessage: 4,096 in a message, of which 100 parts may be of a type.
  limits: { title: 250, label: 250, value: 4_000, entries: 45, total: 4_000, perEntry: 5, sizeOf },
  destination: ({ server }) => ({ url: server }),
  request: ({ title, isTitleSubmitted, entries, footer }, output, { templateContext }) => {
    const token = tokenIn(output.token, templateContext, /^[\w:-]+$/);
    const parts: readonly Part[] = [
      [title, isTitleSubmitted ? 'code' : 'bold'],
      ...entries.flatMap(({ label, value }): Part[] => [
        ['\n\n'],
        [`${label}:`, 'bold'],
        ...(value.includes('\n') ? ([['\n'], [value, 'pre']] as const) : ([[' '], [value, 'code']] as const)),
      ]),
      ...footer.flatMap((line): Part[] => [['\n\n'], [line, 'code']]),
    ];
    return {
      url: below(output.server, `bot${token}/sendMessage`),
      body: {
        chat_id: filled('chat_id', output.chat_id, templateContext),
        ...textOf(parts),
        link_preview_options: { is_disabled: true },
      },
    };
  },
  meaningOf: ({ body }) => {
    const json = parseJson(body);
    const movedTo = valueAt(json, 'parameters.migrate_to_chat_id');
    if (typeof movedTo === 'number') throw failed('chat_moved', { to: movedTo });
    const description = String(valueAt(json, 'description'));
    return {
      isTaken: () => valueAt(json, 'ok') === true,
      code: phrases.find((phrase) => description.includes(phrase))?.replaceAll(' ', '_'),
      wait: { at: 'parameters.retry_after', unitMs: 1_000 },
    };
  },
});

type Part = readonly [text: string, type?: 'bold' | 'code' | 'pre'];

/** What visitors wrote stands in code: in all else, Telegram looks for mentions, links and commands. Offsets are in UTF-16. */
function textOf(parts: readonly Part[]) {
  let text = '';
  const entities: object[] = [];
  for (const [part, type] of parts) {
    if (type) entities.push({ type, offset: text.length, length: part.length });
    text += part;
  }
  return { text, entities };
}

/** Telegram has no codes but the status: of its descriptions, those that say what the owner can do. */
const phrases = [
  'chat not found',
  'bot was kicked',
  'bot was blocked',
  'bot is not a member',
  'not enough rights',
  'group chat was upgraded',
  'TOPIC_CLOSED',
] as const;

function sizeOf(text: string): number {
  return text.length;
}
