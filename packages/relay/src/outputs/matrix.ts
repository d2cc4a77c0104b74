import * as v from 'valibot';
import { wrong } from '../schema/issue.ts';
import { required } from '../schema/keys.ts';
import { httpUrl } from '../schema/kinds.ts';
import { valueAt } from '../transports/http/answer.ts';
import { type AnyAnswer, httpTarget } from '../transports/http/http_transport.ts';
import {
  bearer,
  below,
  chatKeys,
  chatMessage,
  chatText,
  chatVerdict,
  filled,
  jsonBytes,
  lineOf,
  room,
} from './chat_outputs.ts';
import { outputType, secretTemplate } from './output.ts';

export const matrix = outputType({
  type: 'matrix',
  summary: 'Writes into a Matrix room, as a user who is in it. Rooms that are encrypted show it unencrypted.',
  keys: {
    homeserver: required("The user's server, such as `https://matrix.example.org`.", httpUrl()),
    room: required(
      'The id of the room, such as `!abc:example.org`: in Element, under Settings, Advanced.',
      v.pipe(
        room(),
        v.check(
          ({ content }) => typeof content !== 'string' || content.startsWith('!'),
          wrong('not_a_room_id'),
        ),
      ),
    ),
    token: required(
      'The access token of the user. Only as `{{ env "NAME" }}`.',
      secretTemplate('MATRIX_TOKEN'),
    ),
    ...chatKeys,
  },
  target: ({ homeserver }) => httpTarget(homeserver),
  message: (output, job, scope) => {
    const text = chatText(output, job, scope, limits);
    const { title, entries, footer } = text;
    const [id, transaction] = [filled('room', output.room, scope), job.id].map(encodeURIComponent);
    return chatMessage(
      job,
      text,
      {
        method: 'PUT',
        // The same event at every try.
        url: below(output.homeserver, `_matrix/client/v3/rooms/${id}/send/m.room.message/${transaction}`),
        headers: bearer(output.token, scope),
      },
      {
        // A notice is what other bots must not act upon.
        msgtype: 'm.notice',
        body: [title, ...entries.map(lineOf), ...footer].join('\n\n'),
        'm.mentions': {},
      },
    );
  },
  verdict: (_, answer: AnyAnswer) =>
    chatVerdict(answer, {
      isTaken: (json) => typeof valueAt(json, 'event_id') === 'string',
      codeAt: 'errcode',
      passing: ['M_LIMIT_EXCEEDED'],
      wait: { at: 'retry_after_ms', unitMs: 1 },
    }),
  sendsOfItself: () => true,
});

/** Limits from https://spec.matrix.org/latest/client-server-api/#size-limits: 65,536 bytes in an event. */
const limits = {
  title: 500,
  label: 500,
  value: 30_000,
  entries: 200,
  total: 50_000,
  perEntry: 20,
  sizeOf: (text: string) => jsonBytes(text) + 4 * (text.split('\n').length - 1),
};
