/** An output: writes into a Telegram chat, as a bot. */
export default (kit) => ({
  name: 'telegram',
  outputs: [
    kit.output({
      type: 'telegram',
      summary: 'Writes into a Telegram chat, as a bot.',
      keys: {
        server: kit.key.withDefault('https://api.telegram.org', 'The Bot API.', kit.key.httpUrl()),
        chat_id: kit.key.required(
          'The chat: a number, which is below 0 for groups, or `@name` of a public channel.',
          kit.key.template(),
        ),
        token: kit.key.required('The token of the bot. Only as `{{ env "NAME" }}`.', kit.key.template()),
      },
      open: ({ server, chat_id, token }) => ({
        target: server,
        send: ({ formId, payload, template }, { http }) => {
          const lines = kit.values.lines(payload).join('\n');
          const message = {
            chat_id: template(chat_id),
            text: `${formId}\n${lines}`,
            // In all else, Telegram looks for mentions, links and commands.
            entities: [{ type: 'pre', offset: formId.length + 1, length: lines.length }],
            link_preview_options: { is_disabled: true },
          };
          return http.send({
            url: new URL(`/bot${template(token).trim()}/sendMessage`, server),
            json: message,
          });
        },
      }),
    }),
  ],
});
