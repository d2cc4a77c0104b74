/** An output: writes into a Discord channel, through its webhook. */
export default (kit) => ({
  name: 'discord',
  outputs: [
    kit.output({
      type: 'discord',
      summary: 'Writes into a Discord channel, through its webhook.',
      keys: kit.destination.keys,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: (output, { services }) => ({
        ...kit.destination.describe(output),
        send: ({ id, formId, payload, request: parts }, timeoutMs) => {
          const lines = payload.map(([key, values]) => `**${key}**\n${code(values.join(', '))}`);
          const embed = { title: formId, description: lines.join('\n') };
          const url = new URL(kit.destination.url(output, services));
          // Without `wait`, Discord answers before it knows whether it keeps the message.
          url.searchParams.set('wait', 'true');
          const body = JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } });
          const request = { ...parts, id, url, contentType: 'application/json', body };
          return kit.destination.send(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});

/** In code, nothing is markup. */
const code = (text) => `\`\`\`\n${text.replaceAll('`', "'")}\n\`\`\``;
