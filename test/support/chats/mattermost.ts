import { type ChatService, Rules, withoutEscapes } from './chat_service.ts';

/** https://developers.mattermost.com/integrate/webhooks/incoming */
export const mattermost: ChatService = {
  type: 'mattermost',
  ways: { webhook: (origin) => `url: "${origin}/hooks/XXXX"` },
  answer: (request) => {
    if (request.url !== '/hooks/XXXX')
      return { status: 400, body: '{"id":"web.incoming_webhook.invalid.app_error","status_code":400}' };
    const { text, ...others } = Rules.jsonOf(request) ?? {};
    const rules = new Rules();
    rules.keys(others, [], 'unknown key');
    rules.text(text, 16_383, 'text');
    return rules.broken.length === 0
      ? { body: 'ok' }
      : { status: 400, body: '{"id":"web.incoming_webhook.text.app_error","status_code":400}' };
  },
  read: ({ bytes }) => {
    const { text } = JSON.parse(bytes.toString('utf8'));
    const alive: string[] = [];
    // What Slack writes in angle brackets is replaced before anything else, in code too.
    alive.push(...(text.match(/<!(?:channel|here|all)>|<@\w+>|<[^<|]+\|[^>]+>/g) ?? []));
    const plain = (markdown: string) => {
      const code = /^(`+)(?!`)([\s\S]*?[^`])\1(?!`)$/.exec(markdown);
      const fenced = /^(`{3,})\n([\s\S]*?)\n\1$/.exec(markdown);
      if (fenced) return asSeen(fenced[2] ?? '');
      if (code) return asSeen((code[2] ?? '').replace(/^ (`.*|.*`) $/, '$1'));
      const read = withoutEscapes(markdown);
      alive.push(...read.alive);
      return read.text;
    };
    const [heading = '', ...rest] = blocksOf(text);
    const entry = /^\*\*((?:\\.|[^\\*\n])*):\*\*[ \n]([\s\S]*)$/;
    const entries = rest.flatMap((block) => {
      const [, label = '', value = ''] = entry.exec(block) ?? [];
      return label === '' ? [] : [[plain(label), plain(value)] as const];
    });
    return {
      title: plain(heading.replace(/^#### /, '')),
      entries,
      footer: rest.filter((block) => !entry.test(block)).map(plain),
      alive,
    };
  },
  refusals: {
    webhook: [
      {
        name: 'a webhook that is gone',
        answer: { status: 400, body: '{"id":"web.incoming_webhook.invalid.app_error","message":"Ada"}' },
        says: 'the server answered 400 (web.incoming_webhook.invalid.app_error)',
      },
      {
        name: 'a page',
        answer: { body: '<html>' },
        says: 'the service answered that it did not take it',
      },
      { name: 'a fault', answer: { status: 500, body: '{}' }, says: 'the server answered 500', waitsMs: 1 },
    ],
  },
};

/** Without what nobody sees, and with what characters look like. */
const asSeen = (text: string) => text.replaceAll('\u2060', '').replaceAll('\u2223', '|');

/** What empty lines separate, but for those inside a fence. */
function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  let rest = text;
  while (rest !== '') {
    const [block = rest] =
      /^(?:\*\*[^\n]*\*\*\n)(`{3,})\n[\s\S]*?\n\1(?=\n\n|$)/.exec(rest) ??
      /^[\s\S]*?(?=\n\n|$)/.exec(rest) ??
      [];
    blocks.push(block);
    rest = rest.slice(block.length).replace(/^\n\n/, '');
  }
  return blocks;
}
