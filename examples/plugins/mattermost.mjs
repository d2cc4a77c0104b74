/** An output: writes into a Mattermost channel, through an incoming webhook. */
export default (kit) => ({
  name: 'mattermost',
  outputs: [
    kit.outputType({
      type: 'mattermost',
      summary: 'Writes into a Mattermost channel, through an incoming webhook.',
      keys: kit.addressKeys,
      problems: (output, at) => kit.addressProblems(output, at, 'url_env'),
      open: (output, { services }) => ({
        ...kit.destinationOf(output),
        send: ({ id, formId, payload, request: parts }, timeoutMs) => {
          const lines = payload.map(([key, values]) => `**${key}**\n${code(values.join(', '))}`);
          const request = {
            ...parts,
            id,
            url: kit.addressOf(output, services),
            contentType: 'application/json',
            body: JSON.stringify({ text: [`#### ${formId}`, ...lines].join('\n\n') }),
          };
          return kit.sendRequest(request, timeoutMs, services).then(() => undefined);
        },
      }),
    }),
  ],
});

/** In code, nobody is mentioned. What Slack writes as `<!channel>` or `<address|words>` would work there, too. */
const code = (text) =>
  `\`\`\`\n${text.replaceAll('`', "'").replaceAll('<', '<\u2060').replaceAll('|', '\u2223')}\n\`\`\``;
