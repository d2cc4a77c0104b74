/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, /reference/block-kit/blocks */
import { type Chat, entryOf, type Json, jsonOf, type Shown, unheld } from './chat_suite.ts';

const path = '/services/T000/B000/XXXX';

/** The maximum text length of each block type. */
const longest: Readonly<Record<string, number>> = { header: 150, section: 3_000, context: 2_000 };

const isText = (value: unknown, most = 0) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most;

export const slack = {
  type: 'slack',
  keys: (origin: string) => ({ url: origin + path }),
  taken: 'ok',
  broken: (request) => {
    const { text, mrkdwn: _, blocks, ...others } = jsonOf(request);
    const texts: readonly Json[] = blocks.flatMap(({ type, text, elements = [] }: Json) =>
      (text ? [text] : elements).map((one: Json) => ({ one, most: longest[type] })),
    );
    return unheld({
      path: request.url === path,
      'posted as JSON':
        request.method === 'POST' && /^application\/json\b/.test(request.headers['content-type'] ?? ''),
      'known keys': Object.keys(others).length === 0,
      text: isText(text, 40_000),
      'at most 50 blocks': blocks.length <= 50,
      'types of blocks': blocks.every(({ type }: Json) => type in longest),
      elements: blocks.every(
        ({ type, elements = [] }: Json) =>
          type !== 'context' || (elements.length > 0 && elements.length <= 10),
      ),
      'texts of a block': texts.every(
        ({ one: { type, text, emoji: _, ...more }, most }) =>
          Object.keys(more).length === 0 && type === 'plain_text' && isText(text, most),
      ),
      'all together':
        JSON.stringify(blocks.map(({ text, elements }: Json) => text ?? elements)).length < 20_000,
    });
  },
  read: (request): Shown => {
    const { text, blocks, mrkdwn } = jsonOf(request);
    const shown = (type: string) => blocks.filter((block: Json) => block.type === type);
    const title = shown('header')[0].text.text;
    // `plain_text` is shown unchanged. In the notification, escapes are decoded, and text in angle brackets is active.
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
  refusals: {
    'no webhook any more': [{ status: 404, body: 'no_service' }, 'the server answered 404 (no_service)'],
    'a text': [{ status: 400, body: 'Sorry, Ada' }, 'the server answered 400'],
    'a sign-in page': [{ body: '<html>Sign in</html>' }, 'the service answered that it rejected the request'],
    'another page': [{ status: 302 }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500, body: 'rollup_error' }, 'the server answered 500 (rollup_error)', 1],
    'too many': [{ status: 429, headers: { 'retry-after': '3' } }, 'the server answered 429', 3_000],
  },
} satisfies Chat;
