import { expect, test } from 'vitest';
import { holdsPromisesOfChats, type Json, jsonOf, unheld } from '../test/support/chat_suite.ts';
import { relayWith } from '../test/support/index.ts';

const token = '123456:AA-secret_of-the_bot';
const says = (code: number, description: string, parameters?: object) => ({
  status: code,
  body: JSON.stringify({ ok: false, error_code: code, description, parameters }),
});
const types = ['bold', 'code', 'pre'];

/** https://core.telegram.org/bots/api#sendmessage, #messageentity, #responseparameters */
holdsPromisesOfChats({
  type: 'telegram',
  keys: (origin) => ({
    server: `${origin}/api/`,
    token: '{{ env "TELEGRAM_TOKEN" }}',
    chat_id: -1001234567890,
  }),
  env: { TELEGRAM_TOKEN: token },
  taken: '{"ok":true,"result":{"message_id":1}}',
  broken: (request) => {
    const { chat_id: chat, text, entities, link_preview_options: preview, ...others } = jsonOf(request);
    return unheld({
      path: request.url === `/api/bot${token}/sendMessage`,
      'known keys': Object.keys(others).length === 0 && preview.is_disabled === true,
      chat: chat === '-1001234567890',
      text: text.length > 0 && text.length <= 4_096,
      // Telegram ignores further entities, and markup in their text becomes active.
      'at most 100 entities': entities.length <= 100,
      entities: entities.every(
        ({ type, offset, length }: Json) =>
          types.includes(type) && length > 0 && offset + length <= text.length,
      ),
    });
  },
  read: (request) => {
    const { text, entities } = jsonOf(request);
    const parts = entities.map(({ type, offset, length }: Json) => [
      type,
      text.slice(offset, offset + length),
    ]);
    let rest: string = text;
    for (const { type, offset, length } of entities.toReversed())
      if (type !== 'bold') rest = rest.slice(0, offset) + rest.slice(offset + length);
    const [[, title], ...others] = parts;
    const entries: [string, string][] = [];
    const footer: string[] = [];
    for (const [type, part] of others) {
      const last = entries.at(-1);
      if (type === 'bold') entries.push([part.slice(0, -1), '']);
      else if (last?.[1] === '') last[1] = part;
      else footer.push(part);
    }
    return { title, entries, footer, alive: rest.match(/[@/#$]\w+|\w+:\/\/|\w\.test/g) ?? [] };
  },
  refusals: {
    'no such bot': [says(401, 'Unauthorized'), 'the server answered 401'],
    'no such chat': [says(400, 'Bad Request: chat not found'), 'the server answered 400 (chat_not_found)'],
    'another description': [says(400, 'Bad Request: Ada'), 'the server answered 400'],
    'a group that has moved': [
      says(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -1009876543210 }),
      'the group became a supergroup, which has another id; write `chat_id: "-1009876543210"`',
    ],
    'too many, with a time in the body': [
      says(429, 'Too Many Requests: retry after 3', { retry_after: 3 }),
      'the server answered 429',
      3_000,
    ],
    'too many, without a time': [says(429, 'Too Many Requests'), 'the server answered 429'],
    'an error with 200': [
      { body: '{"ok":false,"error_code":400,"description":"Ada"}' },
      'the service answered that it rejected the request',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [says(500, 'Internal Server Error'), 'the server answered 500', 1],
  },
  probes: [
    [() => ({ body: '{"ok":true,"result":{}}' }), 'the bot exists, and is in the chat'],
    [
      ({ url }) =>
        url.includes('/getMe') ? { body: '{"ok":true}' } : says(400, 'Bad Request: chat not found'),
      'the server answered 400 (chat_not_found)',
    ],
  ],
});

test('a variable without a valid token, or an unset one, is named without its value', async () => {
  const output = { type: 'telegram', token: '{{ env "TOKEN" }}', chat_id: 5, server: 'http://127.0.0.1:9' };
  const config = JSON.stringify({ forms: { contact: { fields: [{ name: 'name' }], outputs: [output] } } });
  for (const [held, reason] of [
    ['https://hooks.example/a b', '`token` is not a Telegram token; check the environment variable'],
    ['', '`token` rendered empty; is its environment variable set?'],
  ] as const) {
    const relay = await relayWith({ config, env: { TOKEN: held } });
    expect((await relay.submit('contact', [['name', 'Ada']])).status).toBe(500);
    expect(relay.logged.find(({ event }) => event === 'delivery_failed')?.reason).toBe(reason);
    expect(JSON.stringify(relay.logged)).not.toContain('hooks.example');
  }
});
