/** An output: rings telephones through ntfy, by a topic of ntfy.sh or of a server of your own. */
export default (kit) => ({
  name: 'ntfy',
  outputs: [
    kit.outputType({
      type: 'ntfy',
      summary: 'Rings telephones through ntfy.',
      keys: {
        server: kit.withDefault('https://ntfy.sh', 'The server.', kit.httpUrl()),
        topic: kit.required(
          'The topic. Whoever knows it can read along: `{{ env "NTFY_TOPIC" }}`.',
          kit.template(),
        ),
        token: kit.optional('An access token. Only as `{{ env "NAME" }}`.', kit.template()),
      },
      open: ({ server, topic, token }, { services }) => ({
        ...kit.destinationOf({ url: server }),
        send: ({ id, formId, payload, templateContext, request: parts }, timeoutMs) => {
          const lines = payload.map(([key, values]) => `${key}: ${values.join(', ')}`);
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
          return kit.sendRequest(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});
