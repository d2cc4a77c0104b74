/** Matrix: a notice in a room, sent by a user who has joined it. */
import type { MakePlugin, PlainAnswer, ReadableMessage } from 'form-relay/plugin';

const make: MakePlugin = (kit) => ({
  name: 'matrix',
  outputs: [
    kit.output({
      type: 'matrix',
      title: 'Matrix',
      summary:
        'Posts to a Matrix room as one of its members. The message is unencrypted, even in encrypted rooms.',
      aliases: ['matrix_bot', 'matrix_room', 'element', 'synapse'],
      sample: {
        homeserver: 'https://matrix.example.org',
        room: '!abc:example.org',
        token: '{{ env "MATRIX_TOKEN" }}',
      },
      keys: {
        homeserver: kit.key.required(
          'Homeserver of the bot user, such as `https://matrix.example.org`.',
          kit.key.httpUrl(),
        ),
        room: kit.key.required(
          'Id of the room, such as `!abc:example.org`: in Element, under Settings, Advanced.',
          kit.key.template({ submitted: false }),
        ),
        token: kit.key.required(
          'Access token of the user, as `{{ env "NAME" }}`.',
          kit.key.secret('MATRIX_TOKEN'),
        ),
        title: kit.key.optional(
          'First line of the message. Default: the form’s title or name.',
          kit.key.template(),
        ),
      },
      sendsAll: true,
      problems: ({ room }, at) => {
        if (typeof room?.source === 'string' && !/^(!|{{)/.test(room.source.trim()))
          at.in('room').error('a room id begins with "!"; in Element, it is under Settings, Advanced');
      },
      open: ({ homeserver, room, token, title }) => ({
        target: homeserver,
        send: ({ id, message, template }, { http }) => {
          const [to, transaction] = [template(room).trim(), id].map(encodeURIComponent);
          return http.send({
            method: 'PUT',
            url: homeserver,
            // If a request repeats an earlier id, the server creates no second event.
            path: `_matrix/client/v3/rooms/${to}/send/m.room.message/${transaction}`,
            headers: { authorization: `Bearer ${template(token).trim()}` },
            json: message(noticeOf, { title, fits }),
            judge,
          });
        },
        probe: async ({ http, template }) => {
          const { at } = await http.send({
            method: 'GET',
            url: homeserver,
            path: '_matrix/client/v3/joined_rooms',
            headers: { authorization: `Bearer ${template(token).trim()}` },
            judge: ({ at }) => ({ isTaken: Array.isArray(at('joined_rooms')), code: at('errcode') }),
          });
          return (at('joined_rooms') as unknown[]).includes(template(room).trim())
            ? [{ level: 'ok', says: 'the user is in the room' }]
            : [
                {
                  level: 'failure',
                  says: 'the bot user is not in the room',
                  remedy: 'Invite the user to the room, and accept the invitation.',
                },
              ];
        },
      }),
    }),
  ],
});
export default make;

/** A notice, so that other bots do not react to it, and with an empty list of mentions. */
const noticeOf = ({ title, rows, notes }: ReadableMessage) => ({
  msgtype: 'm.notice',
  body: [title, ...rows.map(({ line }) => line), ...notes].join('\n\n'),
  'm.mentions': {},
});

/** https://spec.matrix.org/latest/client-server-api/#size-limits: 65,536 bytes in an event, including what servers add. */
const fits = (event: object) => Buffer.byteLength(JSON.stringify(event)) <= 60_000;

const judge = ({ status, at }: PlainAnswer) => ({
  isTaken: typeof at('event_id') === 'string',
  code: at('errcode'),
  afterMs: Number(at('retry_after_ms')),
  isPassing: status >= 500 || at('errcode') === 'M_LIMIT_EXCEEDED',
});
