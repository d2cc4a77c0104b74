/** An output: writes into a Telegram chat, as a bot. */
export default (kit) => ({
  name: 'telegram',
  outputs: [
    kit.outputType({
      type: 'telegram',
      summary: 'Writes into a Telegram chat, as a bot.',
      keys: {
        server: kit.withDefault('https://api.telegram.org', 'The Bot API.', kit.httpUrl()),
        chat_id: kit.required(
          'The chat: a number, which is below 0 for groups, or `@name` of a public channel.',
          kit.template(),
        ),
        token: kit.required('The token of the bot. Only as `{{ env "NAME" }}`.', kit.template()),
      },
      open: ({ server, chat_id, token }, { services }) => ({
        ...kit.destinationOf({ url: server }),
        send: ({ id, formId, payload, templateContext, request: parts }, timeoutMs) => {
          const lines = payload.map(([key, values]) => `${key}: ${values.join(', ')}`).join('\n');
          const message = {
            chat_id: chat_id.render(templateContext),
            text: `${formId}\n${lines}`,
            // In all else, Telegram looks for mentions, links and commands.
            entities: [{ type: 'pre', offset: formId.length + 1, length: lines.length }],
            link_preview_options: { is_disabled: true },
          };
          const request = {
            ...parts,
            id,
            url: new URL(`/bot${token.render(templateContext).trim()}/sendMessage`, server),
            contentType: 'application/json',
            body: JSON.stringify(message),
          };
          return kit.sendRequest(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});
