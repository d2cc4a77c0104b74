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
      open: ({ server, topic, token }, { services }) => ({
        ...kit.destination.describe({ url: server }),
        send: ({ id, formId, payload, templateContext, request: parts }, timeoutMs) => {
          const lines = kit.values.lines(payload);
          const message = lines.join('\n') || formId;
          const login = token && { authorization: `Bearer ${token.render(templateContext)}` };
          const request = {
            ...parts,
            id,
            url: server,
            headers: { ...login, ...parts?.headers },
            contentType: 'application/json',
            body: JSON.stringify({ topic: topic.render(templateContext), title: formId, message }),
          };
          return kit.destination.send(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});
