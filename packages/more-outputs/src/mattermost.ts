import { withColon } from '@form-relay/core/kit';
import { webhookChat } from './chat.ts';

export const plugin = webhookChat({
  type: 'mattermost',
  summary: 'Writes into a Mattermost channel, through an incoming webhook.',
  // https://developers.mattermost.com/integrate/webhooks/incoming: 16,383 in a post.
  limits: { title: 250, label: 250, value: 10_000, entries: 100, total: 15_000, perEntry: 20, sizeOf },
  body: ({ title, isTitleSubmitted, entries, footer }) => {
    const lines = [
      `#### ${isTitleSubmitted ? code(title) : escaped(title)}`,
      ...entries.map(
        ({ label, value, isBlock = value.includes('\n') }) =>
          `**${withColon(escaped(label))}**${isBlock ? '\n' : ' '}${code(value, isBlock)}`,
      ),
      ...footer.map((line) => code(line)),
    ];
    return { text: lines.join('\n\n') };
  },
  meaningOf: ({ body }) => ({ isTaken: () => body.trim() === 'ok', codeAt: 'id' }),
});

/**
 * As code, where nothing rings and nothing is markup, within a fence that is longer than what could end it. What Slack
 * writes in angle brackets, such as `<!channel>` and `<address|words>`, is replaced in code, too: so an invisible joiner
 * stands behind each `<`, and another character that looks the same in place of `|`.
 */
function code(text: string, isBlock = text.includes('\n')): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const inside = text.replaceAll('<', '<\u2060').replaceAll('|', '\u2223');
  if (!isBlock) {
    const fence = '`'.repeat(longest + 1);
    return /^`|`$/.test(text) ? `${fence} ${inside} ${fence}` : fence + inside + fence;
  }
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}\n${inside}\n${fence}`;
}

const escaped = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

/** A row of n backticks makes both fences longer by n. */
function sizeOf(text: string): number {
  const inFence = text.length + text.replaceAll(/[^<]/g, '').length + 2 * text.replaceAll(/[^`]/g, '').length;
  return Math.max(escaped(text).length, inFence);
}
