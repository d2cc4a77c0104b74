/** An output: rings the phones of a Gotify server. */
export default (kit) => ({
  name: 'gotify',
  outputs: [
    kit.outputType({
      type: 'gotify',
      summary: 'Rings the phones of a Gotify server.',
      keys: {
        url: kit.required('The server, such as `https://push.example.com`.', kit.httpUrl()),
        token: kit.required('The token of an application. Only as `{{ env "NAME" }}`.', kit.template()),
      },
      open: ({ url, token }, { services }) => ({
        ...kit.destinationOf({ url }),
        send: ({ id, formId, payload, templateContext, request: parts }, timeoutMs) => {
          const message = payload.map(([key, values]) => `${key}: ${values.join(', ')}`).join('\n');
          const request = {
            ...parts,
            id,
            url: new URL('message', url),
            headers: { 'x-gotify-key': token.render(templateContext), ...parts?.headers },
            contentType: 'application/json',
            body: JSON.stringify({ title: formId, message }),
          };
          return kit.sendRequest(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});
