/** An output: posts each submission as JSON to a server. */
export default (kit) => ({
  name: 'my_plugin',
  outputs: [
    kit.outputType({
      type: 'my_plugin',
      summary: 'Posts each submission as JSON.',
      keys: {
        url: kit.required('Where to post, such as `https://api.example.com/leads`.', kit.httpUrl()),
        token: kit.required('The key for it. Only as `{{ env "NAME" }}`.', kit.template()),
      },
      open: ({ url, token }, { services }) => ({
        ...kit.destinationOf({ url }),
        send: ({ id, formId, payload, templateContext, request: parts }, timeoutMs) => {
          const request = {
            ...parts,
            id,
            url,
            headers: { authorization: `Bearer ${token.render(templateContext)}`, ...parts?.headers },
            contentType: 'application/json',
            body: JSON.stringify({ form: formId, fields: Object.fromEntries(payload) }),
          };
          return kit.sendRequest(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});
