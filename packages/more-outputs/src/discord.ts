import { valueAt } from '@form-relay/core/kit';
import { chatPlugin } from './chat.ts';

export const plugin = chatPlugin({
  type: 'discord',
  summary: 'Writes into a Discord channel, through its webhook.',
  // https://discord.com/developers/docs/resources/message#embed-object: 256 in a title, 4,096 in a description.
  limits: { title: 256, label: 256, value: 4_000, entries: 50, total: 4_000, perEntry: 10, sizeOf },
  // Without `wait`, Discord answers before it knows whether it keeps the message.
  query: ['wait', 'true'],
  body: ({ title, entries, footer }) => {
    const lines = entries.map(({ label, value }) => `**${escaped(label)}**\n> ${quoted(value)}`);
    const embed = {
      title: escaped(title),
      ...(lines.length > 0 && { description: lines.join('\n') }),
      ...(footer.length > 0 && { footer: { text: footer.join('\n') } }),
    };
    return { embeds: [embed], allowed_mentions: { parse: [] } };
  },
  meaningOf: () => ({
    isTaken: (json) => typeof valueAt(json, 'id') === 'string',
    codeAt: 'code',
    waitAt: 'retry_after',
  }),
});

/** Its Markdown takes a backslash before whatever is no letter, digit or space, and then reads it as it is. */
const escaped = (text: string) => text.replaceAll(/[\\`*_~|<>#@:()[\]+.!-]/g, '\\$&');
const quoted = (text: string) => escaped(text).replaceAll('\n', '\n> ');

function sizeOf(text: string): number {
  return quoted(text).length;
}
