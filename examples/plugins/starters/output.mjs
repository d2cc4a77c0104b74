/** An output: posts each submission as JSON to a server. */
export default (kit) => ({
  name: 'my_plugin',
  outputs: [
    kit.output({
      type: 'my_plugin',
      summary: 'Posts each submission as JSON.',
      keys: {
        url: kit.key.required('Where to post, such as `https://api.example.com/leads`.', kit.key.httpUrl()),
        token: kit.key.required('The key for it. Only as `{{ env "NAME" }}`.', kit.key.template()),
      },
      open: ({ url, token }, { services }) => ({
        ...kit.destination.describe({ url }),
        send: ({ id, formId, payload, templateContext, request: parts }, timeoutMs) => {
          const request = {
            ...parts,
            id,
            url,
            headers: { authorization: `Bearer ${token.render(templateContext)}`, ...parts?.headers },
            contentType: 'application/json',
            body: JSON.stringify({ form: formId, fields: Object.fromEntries(payload) }),
          };
          return kit.destination.send(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});
