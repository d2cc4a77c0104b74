import { removed } from '@form-relay/core/kit';
import { chatPlugin } from './chat.ts';
import { lineOf } from './chat_text.ts';

const byWebhook = removed(
  '0.2.0',
  'few let a bot write',
  'make an incoming webhook for the channel, and write url_env (docs/outputs/slack.md)',
);

export const plugin = chatPlugin({
  type: 'slack',
  summary: 'Writes into a Slack channel, through an incoming webhook.',
  removedKeys: { token: byWebhook, channel: byWebhook },
  // https://docs.slack.dev/reference/block-kit/blocks: 150 in a header, 3,000 in a section, 50 blocks.
  limits: { title: 150, label: 200, value: 2_700, entries: 45, total: 12_000, perEntry: 10 },
  body: ({ title, entries, footer }) => ({
    // Notifications show this text. Slack reads it as markup, which starts with one of these three characters.
    text: title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plainText(title) },
      ...entries.map((entry) => ({ type: 'section', text: plainText(lineOf(entry)) })),
      ...footer.map((line) => ({ type: 'context', elements: [plainText(line)] })),
    ],
  }),
  meaningOf: ({ body }) => ({
    isTaken: () => body.trim() === 'ok',
    passing: ['rate_limited', 'internal_error', 'service_unavailable', 'request_timeout'],
  }),
});

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });
