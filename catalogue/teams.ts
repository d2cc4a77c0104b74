/** Microsoft Teams: a card in a channel or chat, through a workflow that starts with a webhook. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'teams',
  outputs: [
    kit.output({
      type: 'teams',
      title: 'Microsoft Teams',
      summary:
        'Posts to a channel or chat of Microsoft Teams, through a workflow (Workflows, "Send webhook alerts to a channel"). The workflow can fail after it has accepted a message.',
      aliases: ['ms_teams', 'msteams', 'microsoft_teams', 'teams_webhook', 'microsoft_teams_webhook'],
      sample: { url_env: 'TEAMS_URL' },
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
          http.send({ url: { url, url_env }, json: message(cardOf, { title, fits }), judge }),
      }),
    }),
  ],
});
export default make;

const cardOf = ({ title, rows, notes }: ReadableMessage) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          line(title, { weight: 'Bolder', size: 'Medium' }),
          ...rows.flatMap(({ label, value }) => [
            line(label, { weight: 'Bolder' }),
            ...value.split('\n').map((one) => ({ ...line(one), spacing: 'None' })),
          ]),
          ...notes.map((note) => line(note, { isSubtle: true })),
        ],
      },
    },
  ],
});

/** A text run, in which a card interprets no markup, unlike in a `TextBlock`. A run cannot contain line breaks. */
const line = (text: string, looks: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: text === '' ? '\u00a0' : text, ...looks }],
});

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors: 28 KB in a message. */
const fits = (card: object) => Buffer.byteLength(JSON.stringify(card)) <= 28_000;

/**
 * 202 means that the workflow has started. A workflow with its own response may report success in JSON. A
 * sign-in page, an error text, and JSON that reports a failure are failures.
 */
const judge = ({ status, body, json, at }: PlainAnswer) => ({
  isTaken:
    status === 202 ||
    (status < 300 &&
      (body.trim() === '' ||
        (json !== undefined && !at('error') && at('ok') !== false && at('success') !== false))),
  code: at('error.code'),
  isPassing: status >= 500,
});
