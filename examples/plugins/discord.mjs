/** An output: writes into a Discord channel, through its webhook. */
export default (kit) => ({
  name: 'discord',
  outputs: [
    kit.output({
      type: 'discord',
      summary: 'Writes into a Discord channel, through its webhook.',
      keys: kit.destination.keys,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: (address) => ({
        target: address,
        send: ({ formId, payload }, { http }) => {
          const lines = payload.map(([key, values]) => `**${key}**\n${code(values.join(', '))}`);
          const embed = { title: formId, description: lines.join('\n') };
          const json = { embeds: [embed], allowed_mentions: { parse: [] } };
          // Without `wait`, Discord answers before it knows whether it keeps the message.
          return http.send({ url: address, query: { wait: 'true' }, json });
        },
      }),
    }),
  ],
});

/** In code, nothing is markup. */
const code = (text) => `\`\`\`\n${text.replaceAll('`', "'")}\n\`\`\``;
