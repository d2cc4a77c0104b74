/** An output: writes into a Mattermost channel, through an incoming webhook. */
export default (kit) => ({
  name: 'mattermost',
  outputs: [
    kit.output({
      type: 'mattermost',
      summary: 'Writes into a Mattermost channel, through an incoming webhook.',
      keys: kit.destination.keys,
      problems: (output, at) => kit.destination.check(output, at, 'url_env'),
      open: (address) => ({
        target: address,
        send: ({ formId, payload }, { http }) => {
          const lines = payload.map(([key, values]) => `**${key}**\n${code(values.join(', '))}`);
          return http.send({ url: address, json: { text: [`#### ${formId}`, ...lines].join('\n\n') } });
        },
      }),
    }),
  ],
});

/** In code, nobody is mentioned. Slack’s `<!channel>` and `<address|words>` would work there, too. */
const code = (text) =>
  `\`\`\`\n${text.replaceAll('`', "'").replaceAll('<', '<\u2060').replaceAll('|', '\u2223')}\n\`\`\``;
