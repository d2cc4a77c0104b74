import { type ChatService, entryOf, Rules } from './chat_service.ts';

/** https://docs.ntfy.sh/publish/#publish-as-json */
export const ntfy: ChatService = {
  type: 'ntfy',
  ways: {
    address: (origin) => `url: "${origin}/my-topic"`,
    topic: (origin) => `server: "${origin}", topic: my-topic, token: '{{ env "NTFY_TOKEN" }}'`,
  },
  env: { NTFY_TOKEN: 'tk_secret' },
  answer: (request) => {
    const refuse = (http: number, code: number) => ({
      status: http,
      body: JSON.stringify({ code, http, error: 'no' }),
    });
    const { authorization = 'Bearer tk_secret' } = request.headers;
    if (authorization !== 'Bearer tk_secret') return refuse(401, 40_101);
    const { topic, title, message, ...others } = Rules.jsonOf(request) ?? {};
    const rules = new Rules();
    rules.hold(request.url === '/' && topic === 'my-topic', 'JSON goes to the root');
    rules.keys(others, [], 'unknown key');
    rules.text(title, 250, 'title');
    rules.text(message, 4_096, 'message');
    // What is longer would become an attachment; what is longer as JSON is refused.
    rules.hold(Buffer.byteLength(message ?? '') <= 4_096 && request.bytes.length <= 8_192, 'bytes');
    return rules.broken.length > 0 ? refuse(400, 40_024) : { body: '{"id":"x1","event":"message"}' };
  },
  read: ({ bytes }) => {
    const { title, message, markdown } = JSON.parse(bytes.toString('utf8'));
    const lines = message === title ? [] : message.split(/\n(?! {4}|\n)/);
    return {
      title,
      entries: lines.filter((line: string) => line.includes(':')).map(entryOf),
      footer: lines.filter((line: string) => !line.includes(':')),
      alive: markdown ? [message] : [],
    };
  },
  refusals: {
    address: [
      {
        name: 'a topic that is not public',
        answer: { status: 403, body: '{"code":40301,"http":403,"error":"Ada"}' },
        says: 'the server answered 403 (40301)',
      },
      {
        name: 'too many',
        answer: { status: 429, body: '{"code":42901,"http":429}' },
        says: 'the server answered 429 (42901)',
        waitsMs: 1,
      },
      {
        name: 'too many for today',
        answer: { status: 429, body: '{"code":42908,"http":429}' },
        says: 'the server answered 429 (42908)',
      },
      { name: 'a page', answer: { body: '<html>' }, says: 'the service answered that it did not take it' },
    ],
  },
};
