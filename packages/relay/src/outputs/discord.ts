import { valueAt } from '../transports/http/answer.ts';
import type { AnyAnswer } from '../transports/http/http_transport.ts';
import { chatMessage, chatText, chatVerdict, webhookChat, withQuery } from './chat_outputs.ts';
import { addressOf } from './http_outputs.ts';
import { outputType } from './output.ts';

export const discord = outputType({
  ...webhookChat,
  type: 'discord',
  summary: 'Writes into a Discord channel, through its webhook.',
  message: (output, job, scope) => {
    const text = chatText(output, job, scope, limits);
    const { title, entries, footer } = text;
    const { url, addressFrom } = addressOf(output, scope);
    const lines = entries.map(({ label, value }) => `**${escaped(label)}**\n> ${quoted(value)}`);
    const embed = {
      title: escaped(title),
      ...(lines.length > 0 && { description: lines.join('\n') }),
      ...(footer.length > 0 && { footer: { text: footer.join('\n') } }),
    };
    // Without `wait`, Discord answers before it knows whether it keeps the message.
    return chatMessage(
      job,
      text,
      { url: withQuery(url, 'wait', 'true'), addressFrom },
      { embeds: [embed], allowed_mentions: { parse: [] } },
    );
  },
  verdict: (_, answer: AnyAnswer) =>
    chatVerdict(answer, {
      isTaken: (json) => typeof valueAt(json, 'id') === 'string',
      codeAt: 'code',
      wait: { at: 'retry_after', unitMs: 1_000 },
    }),
});

/** Its Markdown takes a backslash before whatever is no letter, digit or space, and then reads it as it is. */
const escaped = (text: string) => text.replaceAll(/[\\`*_~|<>#@:()[\]+.!-]/g, '\\$&');
const quoted = (text: string) => escaped(text).replaceAll('\n', '\n> ');

/** Limits from https://discord.com/developers/docs/resources/message#embed-object: 256 in a title, 4,096 in a description. */
const limits = {
  title: 256,
  label: 256,
  value: 4_000,
  entries: 50,
  total: 4_000,
  perEntry: 10,
  sizeOf: (text: string) => quoted(text).length,
};
