/** An output: notifies phones through a Home Assistant server. */
export default (kit) => ({
  name: 'home_assistant',
  outputs: [
    kit.output({
      type: 'home_assistant',
      summary: 'Notifies phones through a Home Assistant server.',
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
