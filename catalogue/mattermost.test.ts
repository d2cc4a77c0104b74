import { holdsPromisesOfChats, jsonOf, unescaped, unheld } from '../test/support/chat_suite.ts';

/** https://developers.mattermost.com/integrate/webhooks/incoming */
holdsPromisesOfChats({
  type: 'mattermost',
  keys: (origin) => ({ url: `${origin}/hooks/XXXX` }),
  taken: 'ok',
  broken: (request) => {
    const { text, ...others } = jsonOf(request);
    return unheld({
      'known keys': request.url === '/hooks/XXXX' && Object.keys(others).length === 0,
      text: text.trim() !== '' && text.length <= 16_383,
    });
  },
  read: (request) => {
    const { text } = jsonOf(request);
    // Slack's markup in angle brackets is replaced before anything else, even in code.
    const alive: string[] = text.match(/<!(?:channel|here|all)>|<@\w+>|<[^<|]+\|[^>]+>/g) ?? [];
    const plain = (markdown: string) => {
      // Code ends as early as possible, and markup after it is active.
      const fenced = /^(`{3,})\n([\s\S]*?)\n\1`*(?=\n|$)/.exec(markdown);
      const code = fenced ?? /^(`+)(?!`)([\s\S]*?[^`])\1(?!`)/.exec(markdown);
      if (!code) {
        const read = unescaped(markdown);
        alive.push(...read.alive);
        return read.text;
      }
      if (code[0] !== markdown) alive.push(markdown.slice(code[0].length));
      const inside = code[2] ?? '';
      const seen = fenced ? inside : inside.replace(/^ (`.*|.*`) $/, '$1');
      return seen.replaceAll('\u2060', '').replaceAll('\u2223', '|');
    };
    const [heading = '', ...rest] = blocksOf(text);
    const entry = /^\*\*((?:\\.|[^\\*\n])*):\*\*[ \n]([\s\S]*)$/;
    return {
      title: plain(heading.replace(/^#### /, '')),
      entries: rest.flatMap((block) => {
        const [, label, value = ''] = entry.exec(block) ?? [];
        return label === undefined ? [] : [[plain(label), plain(value)] as const];
      }),
      footer: rest.filter((block) => !entry.test(block)).map(plain),
      alive,
    };
  },
  refusals: {
    'no such webhook': [
      { status: 400, body: '{"id":"web.incoming_webhook.invalid.app_error","message":"Ada"}' },
      'the server answered 400 (web.incoming_webhook.invalid.app_error)',
    ],
    'too many, with a time': [
      { status: 429, headers: { 'retry-after': '2' } },
      'the server answered 429',
      2_000,
    ],
    'too many, without a time': [{ status: 429, body: 'limit exceeded' }, 'the server answered 429'],
    'an error with 200': [
      { body: '{"id":"api.x","message":"Ada"}' },
      'the service answered that it rejected the request (api.x)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500, body: '{}' }, 'the server answered 500', 1],
  },
});

/** Splits at empty lines, except in a fence. */
function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  let rest = text;
  while (rest !== '') {
    const fenced = /^(?:\*\*[^\n]*\*\*\n)(`{3,})\n[\s\S]*?\n\1(?=\n\n|$)/.exec(rest);
    const [block = rest] = fenced ?? /^[\s\S]*?(?=\n\n|$)/.exec(rest) ?? [];
    blocks.push(block);
    rest = rest.slice(block.length).replace(/^\n\n/, '');
  }
  return blocks;
}
