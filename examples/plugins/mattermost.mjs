/** An output: writes into a Mattermost channel, through an incoming webhook. */
export default (kit) => ({
  name: 'mattermost',
  outputs: [
    kit.output({
      type: 'mattermost',
      summary: 'Writes into a Mattermost channel, through an incoming webhook.',
      keys: kit.destination.keys,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: (output, { services }) => ({
        ...kit.destination.describe(output),
        send: ({ id, formId, payload, request: parts }, timeoutMs) => {
          const lines = payload.map(([key, values]) => `**${key}**\n${code(values.join(', '))}`);
          const request = {
            ...parts,
            id,
            url: kit.destination.url(output, services),
            contentType: 'application/json',
            body: JSON.stringify({ text: [`#### ${formId}`, ...lines].join('\n\n') }),
          };
          return kit.destination.send(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});

/** In code, nobody is mentioned. Slack’s `<!channel>` and `<address|words>` would work there, too. */
const code = (text) =>
  `\`\`\`\n${text.replaceAll('`', "'").replaceAll('<', '<\u2060').replaceAll('|', '\u2223')}\n\`\`\``;
