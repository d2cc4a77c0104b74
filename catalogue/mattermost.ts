/** Mattermost: a message in a channel, through an incoming webhook. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'mattermost',
  outputs: [
    kit.output({
      type: 'mattermost',
      title: 'Mattermost',
      summary:
        'Posts to a Mattermost channel, through an incoming webhook (Integrations, Incoming Webhooks).',
      aliases: ['mattermost_webhook'],
      sample: { url_env: 'MATTERMOST_URL' },
      keys: {
        ...kit.destination.keys,
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: ({ url, url_env, title }) => ({
        target: { url, url_env },
        send: ({ message }, { http }) =>
          http.send({ url: { url, url_env }, json: message(textOf, { title, fits }), judge }),
      }),
    }),
  ],
});
export default make;

const textOf = ({ title, isTitleSubmitted, rows, notes }: ReadableMessage) => ({
  text: [
    `#### ${isTitleSubmitted ? code(title) : escaped(title)}`,
    ...rows.map(
      ({ label, heading, value, isBlock }) =>
        `**${escaped(label)}${heading.slice(label.length)}**${isBlock ? '\n' : ' '}${code(value, isBlock)}`,
    ),
    ...notes.map((note) => code(note)),
  ].join('\n\n'),
});

/**
 * Formats text as code, in which mentions and markup have no effect, with a fence longer than any inside.
 * Mattermost replaces Slack's markup in angle brackets, such as `<!channel>` and `<address|words>`, even in
 * code, so an invisible joiner is added after each `<`, and a look-alike replaces `|`.
 */
function code(text: string, isBlock = text.includes('\n')): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const inside = text.replaceAll('<', '<\u2060').replaceAll('|', '\u2223');
  const fence = '`'.repeat(Math.max(isBlock ? 3 : 1, longest + 1));
  if (isBlock) return `${fence}\n${inside}\n${fence}`;
  return /^`|`$/.test(text) ? `${fence} ${inside} ${fence}` : fence + inside + fence;
}

/** Escapes the owner's own text. */
const escaped = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

/** https://developers.mattermost.com/integrate/webhooks/incoming: 16,383 characters in a post. */
const fits = ({ text }: { readonly text: string }) => text.length <= 16_383;

const judge = ({ status, body, at }: PlainAnswer) => ({
  isTaken: body.trim() === 'ok',
  code: at('id'),
  isPassing: status >= 500,
});
