import { retryAfter, retryOf } from '@form-relay/base/client_error';
/** Slack: a submission as plain text, cut to what fits into a message. */

import { serviceCode } from '@form-relay/base/json';
import { labelled } from '@form-relay/base/labelled';
import type { Common, Delivery, FinalAnswer, OutputForm, Plugin, Template } from '@form-relay/core/index';
import {
  addressJson,
  addressKeys,
  addressOf,
  addressProblems,
  destinationOf,
} from '@form-relay/core/outputs/http';
import { outputType } from '@form-relay/core/outputs/output';
import { sendRequest } from '@form-relay/core/outputs/request';
import { optional, removed } from '@form-relay/schema/schema';
import { template } from '@form-relay/schema/templates';
import { failed } from './failures.ts';
import { type FilledIn, filledIn } from './filled_in.ts';
import { plain, plainLine } from './words.ts';

const byWebhook = removed(
  '0.2.0',
  'few let a bot write',
  'make an incoming webhook for the channel, and write url_env (docs/outputs/slack.md)',
);

const slack = outputType({
  type: 'slack',
  summary: 'Writes into a Slack channel, through an incoming webhook.',
  keys: {
    ...addressKeys,
    title: optional(
      'The first line of the message. Default: the title of the form, or else its name.',
      template(),
    ),
    token: byWebhook,
    channel: byWebhook,
  },
  jsonSchema: addressJson,
  // The address is a secret: an error names the key that keeps it secret.
  problems: (output, at) => addressProblems(output, at, 'url_env'),
  sendsOfItself: () => true,
  open: (output, { form, services }) => ({
    ...destinationOf(output, services),
    send: async (delivery, { timeoutMs }) => {
      const content = contentOf(output, form, delivery);
      services.show?.({ content });
      const answer = await sendRequest(
        {
          id: delivery.id,
          ...delivery.request,
          url: addressOf(output, services),
          contentType: 'application/json; charset=utf-8',
          body: JSON.stringify(messageOf(content)),
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

interface Titled extends Pick<Common, 'mapping' | 'static'> {
  readonly title?: Template | undefined;
}

/** The title, a label and a text for each field with a value, `static`, and the page. */
function contentOf(output: Titled, form: OutputForm, delivery: Delivery) {
  const { templateContext, titlePrefix } = delivery;
  const { page } = templateContext;
  const own = output.title?.render(templateContext) ?? '';
  const title = plainLine(own) || plainLine(form.title ?? '') || form.id;
  return {
    title: titlePrefix ? `${titlePrefix} ${title}` : title,
    entries: filledIn(output, form, delivery)
      .map((entry) => ({
        label: plainLine(entry.label),
        value: plain(inOneText(entry)),
        isBlock: entry.shape && true,
      }))
      .filter(({ value }) => value !== ''),
    footer: page ? [plainLine(page.url)] : [],
  };
}

function inOneText({ values, shape }: FilledIn): string {
  const isLong = values.length > 1 && values.some((one) => /[,\r\n]/.test(one));
  return shape === 'list' || isLong ? values.map((one) => `- ${one}`).join('\n') : values.join(', ');
}

/** https://docs.slack.dev/reference/block-kit/blocks: 150 in a header, 3,000 in a section, 50 blocks. */
const most = { title: 150, label: 150, entry: 2_900, entries: 45, footer: 300 };

/** Slack refuses messages of some 13,000 characters. */
const mostInAll = 11_000;

function messageOf({ title, entries, footer }: ReturnType<typeof contentOf>) {
  const header = cut(title, most.title);
  const lines = entries
    .slice(0, most.entries)
    .map(({ label, value, isBlock }) => cut(labelled(cut(label, most.label), value, isBlock), most.entry));
  const size = lines.reduce((sum, { length }) => sum + length, 0);
  const share = size > mostInAll ? Math.floor(mostInAll / lines.length) : most.entry;
  const missing = entries.length - lines.length;
  const leftOut = missing === 1 ? '1 more field is left out' : `${missing} more fields are left out`;
  return {
    // Notifications show this text. Slack reads it as markup, which starts with one of these three characters.
    text: header.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plainText(header) },
      ...lines.map((line) => ({ type: 'section', text: plainText(cut(line, share)) })),
      ...[...(missing > 0 ? [leftOut] : []), ...footer].map((line) => ({
        type: 'context',
        elements: [plainText(cut(line, most.footer))],
      })),
    ],
  };
}

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });

/** The text, or its beginning and `…`, cut between two characters. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = new Intl.Segmenter('en').segment(text).containing(most - 1)?.index;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Throws a `ClientError` unless Slack took the message. If Slack itself failed, the delivery is retried, as RFC 9110 allows. */
function judge({ status, body, headers, isElsewhere }: FinalAnswer, now: number): void {
  if (status < 300 && body.trim() === 'ok') return;
  const code = serviceCode(body, '');
  if (status < 400) throw failed('service_refused', { code });
  const waitMs = retryAfter(headers['retry-after'], now);
  const retry = status >= 500 ? { retryAfterMs: waitMs ?? 0 } : retryOf(status, waitMs);
  throw failed('http_status', { status, isElsewhere, code }, retry);
}

export const plugin: Plugin = { name: 'slack', outputs: [slack] };
