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
      open: ({ url, token }) => ({
        target: url,
        send: ({ formId, payload, template }, { http }) => {
          const message = kit.values.lines(payload).join('\n');
          return http.send({
            url: new URL('message', url),
            headers: { 'x-gotify-key': template(token) },
            json: { title: formId, message },
          });
        },
      }),
    }),
  ],
});
