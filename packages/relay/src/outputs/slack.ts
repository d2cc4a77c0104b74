import { type Finding, finding } from '../schema/finding.ts';
import { optional } from '../schema/keys.ts';
import type { Template } from '../schema/template/render.ts';
import { valueAt } from '../transports/http/answer.ts';
import { type AnyAnswer, httpTarget } from '../transports/http/http_transport.ts';
import {
  bearer,
  chatKeys,
  chatMessage,
  chatText,
  chatVerdict,
  filled,
  lineOf,
  room,
} from './chat_outputs.ts';
import {
  addressJsonSchema,
  addressKeys,
  addressOf,
  addressTarget,
  chatAddressProblems,
} from './http_outputs.ts';
import { outputType, secretTemplate } from './output.ts';

export const slack = outputType({
  type: 'slack',
  summary:
    'Writes into a Slack channel: through an incoming webhook, or as a bot, with `token` and `channel`.',
  keys: {
    ...addressKeys,
    token: optional(
      'The token of a bot that may `chat:write`. Only as `{{ env "NAME" }}`.',
      secretTemplate('SLACK_TOKEN'),
    ),
    channel: optional('The channel for `token`, by its id: `C0123456789`. A webhook has its own.', room()),
    ...chatKeys,
  },
  problems: addressOrToken,
  jsonSchema: {
    if: { required: ['token'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
    then: { required: ['channel'], not: { required: ['url_env'] } },
    else: { ...addressJsonSchema, not: { required: ['channel'] } },
  },
  target: (output) => httpTarget(output.token ? (output.url ?? api) : addressTarget(output)),
  message: (output, job, scope) => {
    const text = chatText(output, job, scope, limits);
    const { title, entries, footer } = text;
    const { token, channel, url = api } = output;
    const request = token ? { url, headers: bearer(token, scope) } : addressOf(output, scope);
    return chatMessage(job, text, request, {
      ...(channel && { channel: filled('channel', channel, scope) }),
      // Notifications show this text. Slack reads it as markup, which starts with one of these three characters.
      text: title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      mrkdwn: false,
      blocks: [
        { type: 'header', text: plainText(title) },
        ...entries.map((entry) => ({ type: 'section', text: plainText(lineOf(entry)) })),
        ...footer.map((line) => ({ type: 'context', elements: [plainText(line)] })),
      ],
    });
  },
  verdict: ({ token }, answer: AnyAnswer) =>
    chatVerdict(answer, {
      isTaken: token ? (json) => valueAt(json, 'ok') === true : () => answer.body.trim() === 'ok',
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
  sendsOfItself: () => true,
});

const api = new URL('https://slack.com/api/chat.postMessage');

/** Limits from https://docs.slack.dev/reference/block-kit/blocks: 150 in a header, 3,000 in a section, 50 blocks. */
const limits = { title: 150, label: 200, value: 2_700, entries: 45, total: 12_000, perEntry: 10 };

/** Neither markup nor mentions, links or emoji are looked for in it. */
const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
  readonly token?: Template | undefined;
  readonly channel?: Template | undefined;
}

function addressOrToken({ url, url_env, token, channel }: Addressed): readonly Finding[] {
  if (!token) {
    const alone = channel ? [finding('key_missing', ['token'], { key: 'token' })] : [];
    return alone.length > 0 ? alone : chatAddressProblems({ url, url_env });
  }
  return [
    ...(channel ? [] : [finding('key_missing', ['channel'], { key: 'channel' })]),
    ...(url_env === undefined ? [] : [finding('address_beside_token', ['url_env'])]),
    // Its answers are those of a webhook, so each message would be written, and count as failed. Any other address may
    // be one in front of Slack.
    ...(url?.hostname === 'hooks.slack.com' ? [finding('address_beside_token', ['url'])] : []),
  ];
}
