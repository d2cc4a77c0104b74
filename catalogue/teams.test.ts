import { holdsPromisesOfChats, type Json, jsonOf, unheld } from '../test/support/chat_suite.ts';

/** https://adaptivecards.io/schemas/adaptive-card.json: `RichTextBlock`, `TextRun`; 28 KB in a message. */
holdsPromisesOfChats({
  type: 'teams',
  keys: (origin) => ({ url: `${origin}/workflows/XXXX/triggers/manual/paths/invoke?sig=XXXX` }),
  taken: '',
  broken: (request) => {
    const { type, attachments, ...others } = jsonOf(request);
    const [{ contentType, content }] = attachments;
    const blocks: Json[] = content.body;
    const runs: Json[] = blocks.flatMap(({ inlines }) => inlines);
    return unheld({
      'a message with a card':
        type === 'message' && attachments.length === 1 && Object.keys(others).length === 0,
      card: contentType === 'application/vnd.microsoft.card.adaptive' && content.type === 'AdaptiveCard',
      size: request.bytes.length <= 28 * 1_024,
      blocks: blocks.every((one) => one.type === 'RichTextBlock' && one.inlines.length > 0),
      runs: runs.every((one) => one.type === 'TextRun' && /^[^\n]+$/.test(one.text)),
      sizes: runs.every((one) => ['Medium', undefined].includes(one.size)),
    });
  },
  read: (request) => {
    const { body, msteams } = jsonOf(request).attachments[0].content;
    const [title, ...rest] = body.map(({ inlines: [run], spacing }: Json) => ({
      ...run,
      isValue: spacing === 'None',
    }));
    const entries: [string, string][] = [];
    for (const { text, weight, isValue } of rest) {
      if (weight === 'Bolder') entries.push([text, '']);
      const last = entries.at(-1);
      if (isValue && last) last[1] += `\n${text === '\u00a0' ? '' : text}`;
    }
    return {
      title: title.text,
      entries: entries.map(([label, value]) => [label, value.slice(1)] as const),
      footer: rest.filter(({ isSubtle }: Json) => isSubtle).map(({ text }: Json) => text),
      // A TextBlock and a FactSet read Markdown, and `msteams` mentions people.
      alive: [
        ...(msteams ? [msteams] : []),
        ...body.flatMap(({ type }: Json) => (type === 'RichTextBlock' ? [] : type)),
      ],
    };
  },
  refusals: {
    'a workflow that is off': [
      { status: 400, body: '{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"Ada"}}' },
      'the server answered 400 (WorkflowTriggerIsNotEnabled)',
    ],
    'an error of an old connector': [
      { body: 'Webhook message delivery failed with error: 429' },
      'the service answered that it rejected the request',
    ],
    'JSON that says no': [{ body: '{"ok":false}' }, 'the service answered that it rejected the request'],
    'an error with 200': [
      { body: '{"error":{"code":"ActionFailed","message":"Ada"}}' },
      'the service answered that it rejected the request (ActionFailed)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'without end': [
      { body: '{'.repeat(70_000) },
      "the service's response is longer than 64 KB, or was cut off",
    ],
    'a redirect to a sign-in page': [
      { status: 302, headers: { location: '/login' }, body: '' },
      'the server answered 302',
    ],
    'too many, with a time': [
      { status: 429, headers: { 'retry-after': '4' } },
      'the server answered 429',
      4_000,
    ],
    'too many, without a time': [{ status: 429 }, 'the server answered 429'],
    'too late': [{ status: 504 }, 'the server answered 504', 1],
  },
});
