/** Rocket.Chat: a message in a channel, through an incoming webhook. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'rocket_chat',
  outputs: [
    kit.output({
      type: 'rocket_chat',
      title: 'Rocket.Chat',
      summary: 'Posts to a Rocket.Chat channel, through an incoming webhook (Workspace, Integrations, New).',
      aliases: ['rocketchat'],
      sample: { url_env: 'ROCKET_CHAT_URL' },
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
    isTitleSubmitted ? code(title) : `*${owned(title)}*`,
    ...rows.map(({ heading, value, isBlock }) => `*${owned(heading)}*${isBlock ? '\n' : ' '}${code(value)}`),
    ...notes.map(code),
  ].join('\n'),
  // Turns off link previews.
  parseUrls: false,
});

/**
 * Formats each line as code, in which only mentions are active. An invisible joiner is added after `@` and
 * `#` that follow a space.
 */
const code = (text: string) =>
  text
    .replaceAll('`', '\u02cb')
    .replaceAll(/(?<!\S)[@#]|>[@#]/g, '$&\u2060')
    .replaceAll(/.+/g, '`$&`');

/** The owner's own text. Backslashes do not escape here, so invisible joiners break up possible markup. */
const owned = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '$&\u2060');

/** https://docs.rocket.chat/docs/message: 5,000 characters in a message, unless an administrator allows more. */
const fits = ({ text }: { readonly text: string }) => text.length <= 5_000;

/** This error has no code. */
const phrase = 'Invalid integration id';

const judge = ({ status, at }: PlainAnswer) => {
  const error = String(at('error'));
  return {
    isTaken: at('success') === true,
    // "… You must wait 23 seconds before trying this endpoint again. [error-too-many-requests]"
    code: error.includes(phrase)
      ? phrase.replaceAll(' ', '_')
      : (/\[([\w-]+)\]$/.exec(error)?.[1] ?? at('errorType') ?? at('error')),
    afterMs: Number(/must wait (\d+) seconds/.exec(error)?.[1]) * 1_000,
    isPassing: status >= 500,
  };
};
