/** An output: posts each submission as JSON to a server. */
export default (kit) => ({
  name: 'my-plugin',
  outputs: [
    kit.output({
      type: 'my-plugin',
      summary: 'Posts each submission as JSON.',
      keys: {
        url: kit.key.required('Where to post, such as `https://api.example.com/leads`.', kit.key.httpUrl()),
        token: kit.key.required('The key for it. Only as `{{ env "NAME" }}`.', kit.key.secret()),
      },
      open: ({ url, token }) => ({
        target: url,
        send: ({ formId, payload, template }, { http }) =>
          http.send({
            url,
            headers: { authorization: `Bearer ${template(token)}` },
            json: { form: formId, fields: Object.fromEntries(payload) },
            // The log gets the service's own error code.
            judge: ({ at }) => ({ code: at('error.code') }),
          }),
      }),
    }),
  ],
});
