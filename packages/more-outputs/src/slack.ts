import type { Diagnostics, Parsed } from '@form-relay/core/index';
import { addressJson, addressKeys, addressOf, optional, valueAt } from '@form-relay/core/kit';
import { bearer, chatAddressProblems, chatKeys, chatPlugin } from './chat.ts';
import { lineOf } from './chat_text.ts';
import { filled, roomTemplate, secretTemplate } from './templates.ts';

const keys = {
  ...addressKeys,
  token: optional(
    'The token of a bot that may `chat:write`. Only as `{{ env "NAME" }}`.',
    secretTemplate('SLACK_TOKEN'),
  ),
  channel: optional(
    'The channel for `token`, by its id: `C0123456789`. A webhook has its own.',
    roomTemplate(),
  ),
  ...chatKeys,
};

type Written = Partial<Parsed<typeof keys>>;

export const plugin = chatPlugin({
  type: 'slack',
  summary:
    'Writes into a Slack channel: through an incoming webhook, or as a bot, with `token` and `channel`.',
  keys,
  jsonSchema: {
    if: { required: ['token'] },
    // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema
    then: { required: ['channel'], not: { required: ['url_env'] } },
    else: { ...addressJson, not: { required: ['channel'] } },
  },
  problems: addressOrToken,
  // https://docs.slack.dev/reference/block-kit/blocks: 150 in a header, 3,000 in a section, 50 blocks.
  limits: { title: 150, label: 200, value: 2_700, entries: 45, total: 12_000, perEntry: 10 },
  destination: (output) => (output.token ? { url: output.url ?? api } : output),
  request: ({ title, entries, footer }, output, { templateContext }, services) => {
    const { token, channel, url = api } = output;
    const to = token
      ? { url, headers: bearer(token, templateContext) }
      : { url: addressOf(output, services) };
    return {
      ...to,
      body: {
        ...(channel && { channel: filled('channel', channel, templateContext) }),
        // Notifications show this text. Slack reads it as markup, which starts with one of these three characters.
        text: title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
        mrkdwn: false,
        blocks: [
          { type: 'header', text: plainText(title) },
          ...entries.map((entry) => ({ type: 'section', text: plainText(lineOf(entry)) })),
          ...footer.map((line) => ({ type: 'context', elements: [plainText(line)] })),
        ],
      },
    };
  },
  meaningOf: ({ body }, { token }) => ({
    isTaken: token ? (json) => valueAt(json, 'ok') === true : () => body.trim() === 'ok',
    codeAt: token && 'error',
    passing: [
      'ratelimited',
      'rate_limited',
      'internal_error',
      'fatal_error',
      'service_unavailable',
      'request_timeout',
    ],
  }),
});

const api = new URL('https://slack.com/api/chat.postMessage');

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

function addressOrToken({ url, url_env, token, channel }: Written, at: Diagnostics): void {
  if (!token) {
    if (at.in('token').isWrong) return;
    if (channel) at.in('token').error('token is missing');
    else chatAddressProblems({ url, url_env }, at);
    return;
  }
  if (!channel && !at.in('channel').isWrong) at.in('channel').error('channel is missing');
  const isBeside = 'a bot with a token needs no address of a webhook; keep one of the two';
  if (url_env !== undefined) at.in('url_env').error(isBeside);
  // Its answers are those of a webhook, so each message would be written, and count as failed. Any other address may be one
  // in front of Slack.
  if (url?.hostname === 'hooks.slack.com') at.in('url').error(isBeside);
}
