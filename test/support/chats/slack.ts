import { type ChatService, entryOf, type Json, Rules } from './chat_service.ts';

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, /reference/block-kit/blocks */
export const slack: ChatService = {
  type: 'slack',
  ways: {
    webhook: (origin) => `url: "${origin}/services/T000/B000/XXXX"`,
    bot: (origin) =>
      `url: "${origin}/api/chat.postMessage", token: '{{ env "SLACK_TOKEN" }}', channel: C0123`,
  },
  env: { SLACK_TOKEN: 'xoxb-1-secret' },
  refusals: {
    webhook: [
      {
        name: 'no webhook any more',
        answer: { status: 404, body: 'no_service' },
        says: 'the server answered 404 (no_service)',
      },
      { name: 'a text', answer: { status: 400, body: 'Sorry, Ada' }, says: 'the server answered 400' },
      {
        name: 'a sign-in page',
        answer: { body: '<html>Sign in</html>' },
        says: 'the service answered that it did not take it',
      },
      { name: 'another page', answer: { status: 302 }, says: 'the service answered that it did not take it' },
      {
        name: 'a fault',
        answer: { status: 500, body: 'rollup_error' },
        says: 'the server answered 500 (rollup_error)',
        waitsMs: 1,
      },
      {
        name: 'too many',
        answer: { status: 429, headers: { 'retry-after': '3' } },
        says: 'the server answered 429',
        waitsMs: 3_000,
      },
    ],
    bot: [
      {
        name: 'ok: false',
        answer: { body: '{"ok":false,"error":"channel_not_found"}' },
        says: 'the service answered that it did not take it (channel_not_found)',
      },
      { name: 'no ok', answer: { body: 'ok' }, says: 'the service answered that it did not take it' },
      {
        name: 'ok: false, for now',
        answer: { body: '{"ok":false,"error":"internal_error"}' },
        says: 'the service answered that it did not take it (internal_error)',
        waitsMs: 1,
      },
      {
        name: 'too many, with a time',
        answer: { headers: { 'retry-after': '4' }, body: '{"ok":false,"error":"ratelimited"}' },
        says: 'the service answered that it did not take it (ratelimited)',
        waitsMs: 4_000,
      },
      {
        name: 'an answer without end',
        answer: { body: `{"ok":true,"x":"${'x'.repeat(70_000)}"}` },
        says: "the service's answer did not come to its end",
      },
    ],
  },
  answer: (request) => {
    const isApi = request.url === '/api/chat.postMessage';
    const refuse = (error: string) =>
      isApi ? { body: JSON.stringify({ ok: false, error }) } : { status: 400, body: error };
    if (isApi && request.headers.authorization !== 'Bearer xoxb-1-secret') return refuse('invalid_auth');
    if (!isApi && request.url !== '/services/T000/B000/XXXX') return { status: 404, body: 'no_service' };
    const message = Rules.jsonOf(request);
    if (!message) return refuse('invalid_payload');
    if (isApi ? message.channel !== 'C0123' : 'channel' in message) return refuse('channel_not_found');
    return brokenRules(message).length > 0
      ? refuse('invalid_blocks')
      : { body: isApi ? '{"ok":true,"ts":"1.2"}' : 'ok' };
  },
  read: ({ bytes }) => {
    const { text, blocks, mrkdwn } = JSON.parse(bytes.toString('utf8'));
    const shown = (type: string) => blocks.filter((block: { type: string }) => block.type === type);
    const title = shown('header')[0].text.text;
    // `plain_text` is shown as it is. Of the notification, escapes are read, and what is in angle brackets is alive.
    const notified = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    return {
      title,
      entries: shown('section').map((block: Json) => entryOf(block.text.text)),
      footer: shown('context').map((block: Json) => block.elements[0].text),
      alive: [
        ...(text.match(/[<>]|&(?!amp;|lt;|gt;)/g) ?? []),
        ...(mrkdwn === false && notified === title ? [] : [text]),
        ...blocks.filter((block: Json) => (block.text ?? block.elements[0]).emoji !== false),
      ],
    };
  },
};

function brokenRules(message: Record<string, Json>): readonly string[] {
  const rules = new Rules();
  rules.keys(message, ['channel', 'text', 'mrkdwn', 'blocks'], 'unknown key');
  rules.text(message.text, 40_000, 'text');
  const { blocks } = message;
  rules.hold(Array.isArray(blocks) && blocks.length <= 50, 'at most 50 blocks');
  for (const { type, text, elements = [] } of blocks) {
    const most = { header: 150, section: 3_000 }[type as string];
    rules.hold(most !== undefined || type === 'context', 'type of block');
    rules.hold(type !== 'context' || (elements.length > 0 && elements.length <= 10), 'elements');
    for (const one of text ? [text] : elements) {
      rules.keys(one, ['type', 'text', 'emoji'], 'key of a text');
      rules.hold(one.type === 'plain_text', 'plain_text');
      rules.text(one.text, most ?? 2_000, 'length of a text');
    }
  }
  return rules.broken;
}
