/** An output: writes into a Matrix room, as a user who is in it. */
export default (kit) => ({
  name: 'matrix',
  outputs: [
    kit.output({
      type: 'matrix',
      summary: 'Writes into a Matrix room, as a user who is in it.',
      keys: {
        homeserver: kit.key.required('The server, such as `https://matrix.example.org`.', kit.key.httpUrl()),
        room: kit.key.required('The id of the room, such as `!abc:example.org`.', kit.key.text()),
        token: kit.key.required('The token of the user. Only as `{{ env "NAME" }}`.', kit.key.template()),
      },
      open: ({ homeserver, room, token }) => ({
        target: homeserver,
        send: ({ id, formId, payload, template }, { http }) => {
          const lines = kit.values.lines(payload);
          // A notice is what other bots must not act upon, and nobody is mentioned in it.
          const event = { msgtype: 'm.notice', body: [formId, ...lines].join('\n'), 'm.mentions': {} };
          const path = `_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message`;
          return http.send({
            method: 'PUT',
            // With the id of an earlier request, the server writes no second event.
            url: new URL(`${path}/${encodeURIComponent(id)}`, homeserver),
            headers: { authorization: `Bearer ${template(token)}` },
            json: event,
          });
        },
      }),
    }),
  ],
});
