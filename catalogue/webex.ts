/** Webex: a message in a space, from a bot. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'webex',
  outputs: [
    kit.output({
      type: 'webex',
      title: 'Webex',
      summary: 'Posts to a Webex space, as a bot that is a member (developer.webex.com, Create a Bot).',
      aliases: ['cisco_webex', 'spark'],
      sample: { room: 'Y2lzY29zcGFyazovL3VzL1JPT00v', token: '{{ env "WEBEX_TOKEN" }}' },
      keys: {
        room: kit.key.required('Id of the space.', kit.key.template({ submitted: false })),
        token: kit.key.required(
          'Access token of the bot, as `{{ env "NAME" }}`.',
          kit.key.secret('WEBEX_TOKEN'),
        ),
        server: kit.key.withDefault('https://webexapis.com', 'Address of the API.', kit.key.httpUrl()),
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      open: ({ server, room, token, title }) => ({
        target: server,
        send: ({ message, template }, { http }) =>
          http.send({
            url: server,
            path: 'v1/messages',
            headers: { authorization: `Bearer ${template(token).trim()}` },
            json: { roomId: template(room).trim(), ...message(textOf, { title, fits }) },
            judge,
          }),
        probe: async ({ http, template }) => {
          await http.send({
            method: 'GET',
            url: server,
            path: `v1/rooms/${encodeURIComponent(template(room).trim())}`,
            headers: { authorization: `Bearer ${template(token).trim()}` },
            judge,
          });
          return [{ level: 'ok', says: 'the bot is in the space' }];
        },
      }),
    }),
  ],
});
export default make;

/** Plain text. Only `markdown` supports mentions and markup. */
const textOf = ({ title, rows, notes }: ReadableMessage) => ({
  text: [title, ...rows.map(({ line }) => line), ...notes].join('\n'),
});

/** https://developer.webex.com/messaging/docs/api/v1/messages/create-a-message: 7,439 bytes. */
const fits = ({ text }: { readonly text: string }) => Buffer.byteLength(text) <= 7_439;

/**
 * Webex has no error codes. These messages tell the owner what to do. For other errors, Webex's support can
 * find the request by its `trackingId`.
 */
const phrases = ['valid access token', 'could not be found', 'missing required scopes'];

const judge = ({ status, at }: PlainAnswer) => ({
  isTaken: typeof at('id') === 'string',
  code: phrases.find((one) => String(at('message')).includes(one))?.replaceAll(' ', '_') ?? at('trackingId'),
  isPassing: status >= 500,
});
