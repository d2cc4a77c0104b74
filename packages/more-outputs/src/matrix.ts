import { httpUrl, required, valueAt } from '@form-relay/core/kit';
import { bearer, below, chatKeys, chatPlugin } from './chat.ts';
import { lineBytes, lineOf } from './chat_text.ts';
import { filled, roomTemplate, secretTemplate } from './templates.ts';

export const plugin = chatPlugin({
  type: 'matrix',
  summary: 'Writes into a Matrix room, as a user who is in it. Rooms that are encrypted show it unencrypted.',
  keys: {
    homeserver: required("The user's server, such as `https://matrix.example.org`.", httpUrl()),
    room: required(
      'The id of the room, such as `!abc:example.org`: in Element, under Settings, Advanced.',
      roomTemplate((room) =>
        room.startsWith('!')
          ? undefined
          : 'expected the id of a room, which begins with "!"; a name with "#" is none',
      ),
    ),
    token: required(
      'The access token of the user. Only as `{{ env "NAME" }}`.',
      secretTemplate('MATRIX_TOKEN'),
    ),
    ...chatKeys,
  },
  // https://spec.matrix.org/latest/client-server-api/#size-limits: 65,536 bytes in an event.
  limits: {
    title: 500,
    label: 500,
    value: 30_000,
    entries: 200,
    total: 50_000,
    perEntry: 20,
    sizeOf: lineBytes,
  },
  destination: ({ homeserver }) => ({ url: homeserver }),
  request: ({ title, entries, footer }, output, { id, templateContext }) => {
    const [room, transaction] = [filled('room', output.room, templateContext), id].map(encodeURIComponent);
    return {
      method: 'PUT',
      // The same event at every try.
      url: below(output.homeserver, `_matrix/client/v3/rooms/${room}/send/m.room.message/${transaction}`),
      headers: bearer(output.token, templateContext),
      body: {
        // A notice is what other bots must not act upon.
        msgtype: 'm.notice',
        body: [title, ...entries.map(lineOf), ...footer].join('\n\n'),
        'm.mentions': {},
      },
    };
  },
  meaningOf: () => ({
    isTaken: (json) => typeof valueAt(json, 'event_id') === 'string',
    codeAt: 'errcode',
    passing: ['M_LIMIT_EXCEEDED'],
    wait: { at: 'retry_after_ms', unitMs: 1 },
  }),
});
