import { type ChatService, type Json, Rules } from './chat_service.ts';

const token = '123456:AA-secret_of-the_bot';
const says = (code: number, description: string, parameters?: object) => ({
  status: code,
  body: JSON.stringify({ ok: false, error_code: code, description, parameters }),
});

/** https://core.telegram.org/bots/api#sendmessage, #messageentity */
export const telegram: ChatService = {
  type: 'telegram',
  ways: {
    bot: (origin) => `server: "${origin}", token: '{{ env "TELEGRAM_TOKEN" }}', chat_id: -1001234567890`,
    'bot of a server below a path': (origin) =>
      `server: "${origin}/api/", token: '{{ env "TELEGRAM_TOKEN" }}', chat_id: "@channel"`,
  },
  env: { TELEGRAM_TOKEN: token },
  answer: (request) => {
    if (!/^(\/api)?$/.test(request.url.replace(`/bot${token}/sendMessage`, '')))
      return says(404, 'Not Found');
    const message = Rules.jsonOf(request);
    if (!message || brokenRules(message).length > 0) return says(400, 'Bad Request: message is too long');
    return { body: JSON.stringify({ ok: true, result: { message_id: 1, text: message.text } }) };
  },
  read: ({ bytes }) => {
    const { text, entities, parse_mode: mode } = JSON.parse(bytes.toString('utf8'));
    const parts = entities.map(({ type, offset, length }: Json) => [
      type,
      text.slice(offset, offset + length),
    ]);
    const dead = ['code', 'pre'];
    // In what is not code, Telegram looks for mentions, commands and links.
    let rest = text;
    for (const { type, offset, length } of entities.toReversed()) {
      if (dead.includes(type)) rest = rest.slice(0, offset) + rest.slice(offset + length);
    }
    const [[, title], ...others] = parts;
    const entries: [string, string][] = [];
    for (const [type, part] of others) {
      if (type === 'bold') entries.push([part.slice(0, -1), '']);
      else if (dead.includes(type)) (entries.at(-1) ?? ['', ''])[1] = part;
    }
    return {
      title,
      entries,
      footer: others.filter(([type]: [string]) => type === 'italic').map(([, part]: string[]) => part),
      alive: [...(rest.match(/[@/#$]\w+|\w+:\/\/|\w\.test/g) ?? []), ...(mode ? [mode] : [])],
    };
  },
  refusals: {
    bot: [
      { name: 'a bot that is gone', answer: says(401, 'Unauthorized'), says: 'the server answered 401' },
      {
        name: 'a chat that is not there',
        answer: says(400, 'Bad Request: chat not found'),
        says: 'the server answered 400 (chat_not_found)',
      },
      {
        name: 'a group that has moved',
        answer: says(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
          migrate_to_chat_id: -1009876543210,
        }),
        says: 'the group became a supergroup, which has another id; write `chat_id: "-1009876543210"`',
      },
      {
        name: 'too many, with a time in the JSON',
        answer: says(429, 'Too Many Requests: retry after 3', { retry_after: 3 }),
        says: 'the server answered 429',
        waitsMs: 3_000,
      },
      {
        name: 'ok: false with 200',
        answer: { body: '{"ok":false,"error_code":400,"description":"Ada"}' },
        says: 'the service answered that it did not take it',
      },
      { name: 'a fault', answer: { status: 500 }, says: 'the server answered 500', waitsMs: 1 },
    ],
  },
};

function brokenRules(message: Record<string, Json>): readonly string[] {
  const { chat_id: chat, text, entities, link_preview_options: preview, ...others } = message;
  const rules = new Rules();
  rules.keys(others, [], 'unknown key');
  rules.hold(/^(-\d+|@\w+)$/.test(chat), 'chat_id');
  rules.text(text, 4_096, 'text');
  rules.hold(preview.is_disabled === true, 'preview');
  // More are not read, and what they cover comes alive.
  rules.hold(entities.length <= 100, 'entities');
  for (const { type, offset, length } of entities) {
    rules.hold(['bold', 'italic', 'code', 'pre'].includes(type), 'type of an entity');
    rules.hold(offset >= 0 && length > 0 && offset + length <= text.length, 'place of an entity');
  }
  return rules.broken;
}
