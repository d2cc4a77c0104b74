/** An output: rings the phones that a Home Assistant server notifies. */
export default (kit) => ({
  name: 'home_assistant',
  outputs: [
    kit.output({
      type: 'home_assistant',
      summary: 'Rings the phones that a Home Assistant server notifies.',
      keys: {
        url: kit.key.required('The server, such as `https://home.example.com`.', kit.key.httpUrl()),
        token: kit.key.required('A long-lived access token. Only as `{{ env "NAME" }}`.', kit.key.secret()),
      },
      open: ({ url, token }) => ({
        target: url,
        send: ({ formId, payload, template }, { http }) => {
          const message = kit.values.lines(payload).join('\n');
          return http.send({
            url,
            path: 'api/services/notify/notify',
            headers: { authorization: `Bearer ${template(token)}` },
            json: { title: formId, message },
          });
        },
      }),
    }),
  ],
});
