import { type ChatService, type Json, Rules } from './chat_service.ts';

/**
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using and
 * https://adaptivecards.io/explorer/RichTextBlock.html
 */
export const teams: ChatService = {
  type: 'teams',
  ways: { workflow: (origin) => `url: "${origin}/workflows/XXXX/triggers/manual/paths/invoke?sig=XXXX"` },
  answer: (request) => {
    if (!request.url.startsWith('/workflows/XXXX/'))
      return { status: 404, body: '{"error":{"code":"WorkflowNotFound"}}' };
    const message = Rules.jsonOf(request);
    if (!message || brokenRules(message).length > 0)
      return { status: 400, body: '{"error":{"code":"TriggerInputSchemaMismatch"}}' };
    return request.bytes.length > 28 * 1024 ? { status: 413 } : { status: 202 };
  },
  read: ({ bytes }) => {
    const { body, msteams } = JSON.parse(bytes.toString('utf8')).attachments[0].content;
    const [title, ...rest] = body.map(({ inlines: [run], spacing }: Json) => ({
      ...run,
      isValue: spacing === 'None',
    }));
    const entries: [string, string][] = [];
    for (const { text, weight, isValue } of rest) {
      const line = text === '\u00a0' ? '' : text;
      if (weight === 'Bolder') entries.push([line, '']);
      const last = entries.at(-1);
      if (isValue && last) last[1] += `\n${line}`;
    }
    return {
      title: title.text,
      entries: entries.map(([label, value]) => [label, value.slice(1)] as const),
      footer: rest.filter(({ isSubtle }: Json) => isSubtle).map(({ text }: Json) => text),
      // A TextBlock and a FactSet read Markdown.
      alive: [
        ...(msteams ? [msteams] : []),
        ...body.filter(({ type }: Json) => type !== 'RichTextBlock').map(({ type }: Json) => type),
      ],
    };
  },
  refusals: {
    workflow: [
      {
        name: 'a workflow that is off',
        answer: { status: 400, body: '{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"Ada"}}' },
        says: 'the server answered 400 (WorkflowTriggerIsNotEnabled)',
      },
      {
        name: 'an old connector that is gone',
        answer: { body: 'Webhook message delivery failed with error: 429' },
        says: 'the service answered that it did not take it',
      },
      { name: 'too late', answer: { status: 504 }, says: 'the server answered 504', waitsMs: 1 },
    ],
  },
};

function brokenRules({ type, attachments, ...others }: Record<string, Json>): readonly string[] {
  const rules = new Rules();
  rules.keys(others, [], 'unknown key');
  rules.hold(type === 'message' && attachments.length === 1, 'one attachment');
  const [{ contentType, content }] = attachments;
  rules.hold(contentType === 'application/vnd.microsoft.card.adaptive', 'contentType');
  rules.hold(content.type === 'AdaptiveCard' && content.version === '1.4', 'card');
  for (const { type: element, inlines } of content.body) {
    rules.hold(element === 'RichTextBlock' && inlines.length > 0, 'element');
    for (const { type: run, text } of inlines) {
      rules.hold(run === 'TextRun', 'inline');
      rules.hold(typeof text === 'string' && text !== '' && !text.includes('\n'), 'a run is on one line');
    }
  }
  return rules.broken;
}
