/** Slack: a submission as plain text, cut to the size of a message. */
import { retryAfter, retryOf } from '@form-relay/base/client_error';
import { serviceCode } from '@form-relay/base/json';
import type { FinalAnswer, Plugin } from '@form-relay/core/index';
import {
  addressJson,
  addressKeys,
  addressOf,
  addressProblems,
  destinationOf,
} from '@form-relay/core/outputs/http';
import { outputType } from '@form-relay/core/outputs/output';
import { sendRequest } from '@form-relay/core/outputs/request';
import { optional } from '@form-relay/schema/schema';
import { template } from '@form-relay/schema/templates';
import { failed } from './failures.ts';
import { type ReadableMessage, writeMessage } from './message.ts';

const slack = outputType({
  type: 'slack',
  summary: 'Posts to a Slack channel, through an incoming webhook.',
  keys: {
    ...addressKeys,
    title: optional('First line of the message. Default: the form’s title or name.', template()),
  },
  jsonSchema: addressJson,
  // The URL is secret, so an error names the key that keeps it secret.
  problems: (output, at) => addressProblems(output, at, 'url_env'),
  sendsOfItself: () => true,
  open: (output, { form, services }) => ({
    ...destinationOf(output, services),
    send: async (delivery, { timeoutMs }) => {
      const options = { title: output.title, titleMost: most.title, fits };
      const message = writeMessage(messageOf, options, output, form, delivery, services);
      const answer = await sendRequest(
        {
          id: delivery.id,
          ...delivery.request,
          url: addressOf(output, services),
          contentType: 'application/json; charset=utf-8',
          body: JSON.stringify(message),
          accepts: () => true,
        },
        timeoutMs,
        services,
      );
      judge(answer, services.now());
      return undefined;
    },
  }),
});

/** Limits from https://docs.slack.dev/reference/block-kit/blocks. Slack rejects messages of some 13,000 characters. */
const most = { title: 150, section: 3_000, blocks: 50, inAll: 12_000 };

const messageOf = ({ title, rows, notes }: ReadableMessage) => ({
  // Notifications show this text. Slack parses it as markup, which starts with one of these three characters.
  text: title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  mrkdwn: false,
  blocks: [
    { type: 'header', text: plainText(title) },
    ...rows.map(({ line }) => ({ type: 'section', text: plainText(line) })),
    ...notes.map((note) => ({ type: 'context', elements: [plainText(note)] })),
  ],
});

function fits({ blocks }: ReturnType<typeof messageOf>): boolean {
  const sizes = blocks.map((block) => ('text' in block ? block.text.text.length : 0));
  const inAll = sizes.reduce((sum, size) => sum + size, 0);
  return blocks.length <= most.blocks && Math.max(...sizes) <= most.section && inAll <= most.inAll;
}

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

/**
 * Throws a `ClientError` unless Slack accepted the message. If Slack itself failed, the delivery is retried,
 * as RFC 9110 allows.
 */
function judge({ status, body, headers, isElsewhere }: FinalAnswer, now: number): void {
  if (status < 300 && body.trim() === 'ok') return;
  const code = serviceCode(body, '');
  if (status < 400) throw failed('service_refused', { code });
  const waitMs = retryAfter(headers['retry-after'], now);
  const retry = status >= 500 ? { retryAfterMs: waitMs ?? 0 } : retryOf(status, waitMs);
  throw failed('http_status', { status, isElsewhere, code }, retry);
}

export const plugin: Plugin = { name: 'slack', outputs: [slack] };
