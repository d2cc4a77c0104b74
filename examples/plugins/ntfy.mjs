/** An output: rings telephones through ntfy, by a topic of ntfy.sh or of a server of your own. */
export default (kit) => ({
  name: 'ntfy',
  outputs: [
    kit.output({
      type: 'ntfy',
      summary: 'Rings telephones through ntfy.',
      keys: {
        server: kit.key.withDefault('https://ntfy.sh', 'The server.', kit.key.httpUrl()),
        topic: kit.key.required(
          'The topic. Whoever knows it can read along: `{{ env "NTFY_TOPIC" }}`.',
          kit.key.template(),
        ),
        token: kit.key.optional('An access token. Only as `{{ env "NAME" }}`.', kit.key.template()),
      },
      open: ({ server, topic, token }) => ({
        target: server,
        send: ({ formId, payload, template }, { http }) => {
          const lines = kit.values.lines(payload);
          const message = lines.join('\n') || formId;
          const headers = token && { authorization: `Bearer ${template(token)}` };
          return http.send({
            url: server,
            headers,
            json: { topic: template(topic), title: formId, message },
          });
        },
      }),
    }),
  ],
});
