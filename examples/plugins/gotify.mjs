/** An output: rings the phones of a Gotify server. */
export default (kit) => ({
  name: 'gotify',
  outputs: [
    kit.output({
      type: 'gotify',
      summary: 'Rings the phones of a Gotify server.',
      keys: {
        url: kit.key.required('The server, such as `https://push.example.com`.', kit.key.httpUrl()),
        token: kit.key.required(
          'The token of an application. Only as `{{ env "NAME" }}`.',
          kit.key.template(),
        ),
      },
      open: ({ url, token }, { services }) => ({
        ...kit.destination.describe({ url }),
        send: ({ id, formId, payload, templateContext, request: parts }, timeoutMs) => {
          const message = kit.values.lines(payload).join('\n');
          const request = {
            ...parts,
            id,
            url: new URL('message', url),
            headers: { 'x-gotify-key': token.render(templateContext), ...parts?.headers },
            contentType: 'application/json',
            body: JSON.stringify({ title: formId, message }),
          };
          return kit.destination.send(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});
