import { holdsPromisesOfChats, jsonOf, unescaped, unheld } from '../test/support/chat_suite.ts';

/** https://github.com/discord/discord-api-spec: `IncomingWebhookRequestPartial`, `RichEmbed`, `RatelimitedResponse`. */
holdsPromisesOfChats({
  type: 'discord',
  keys: (origin) => ({ url: `${origin}/api/webhooks/1/XXXX?thread_id=7` }),
  taken: '{"id":"1","content":""}',
  broken: (request) => {
    const { embeds, allowed_mentions: mentions, ...others } = jsonOf(request);
    const [{ title, description = 'x', footer = { text: 'x' }, ...more }] = embeds;
    return unheld({
      path: request.url === '/api/webhooks/1/XXXX?thread_id=7&wait=true',
      'nobody is mentioned': JSON.stringify(mentions) === '{"parse":[]}',
      'known keys': Object.keys({ ...others, ...more }).length === 0 && embeds.length === 1,
      title: title !== '' && title.length <= 256,
      description: description !== '' && description.length <= 4_096,
      footer: footer.text.length <= 2_048,
      'all together': `${title}${description}${footer.text}`.length <= 6_000,
    });
  },
  read: (request) => {
    const [{ title, description = '', footer }] = jsonOf(request).embeds;
    const alive: string[] = [];
    const text = (markdown: string) => {
      const read = unescaped(markdown);
      alive.push(...read.alive);
      return read.text;
    };
    const blocks = [...description.matchAll(/\*\*((?:\\.|[^\\*\n])*)\*\*\n((?:> .*(?:\n|$))+)/g)];
    if (blocks.map(([block]) => block).join('') !== description) alive.push(description);
    return {
      title: text(title),
      entries: blocks.map(([, label = '', quote = '']) => [
        text(label),
        text(quote.replaceAll(/^> /gm, '').replace(/\n$/, '')),
      ]),
      footer: footer ? footer.text.split('\n') : [],
      alive,
    };
  },
  refusals: {
    'no such webhook': [
      { status: 404, body: '{"message":"Unknown Webhook","code":10015}' },
      'the server answered 404 (10015)',
    ],
    'a message of its own': [
      { status: 400, body: '{"code":50035,"message":"Ada"}' },
      'the server answered 400 (50035)',
    ],
    'too many, with a time in the body': [
      { status: 429, body: '{"message":"rate limited","retry_after":2.5,"global":false}' },
      'the server answered 429',
      2_500,
    ],
    'too many, with a time in the header': [
      { status: 429, headers: { 'retry-after': '3' }, body: '{"retry_after":0.5}' },
      'the server answered 429',
      3_000,
    ],
    'too many, without a time': [{ status: 429 }, 'the server answered 429'],
    'an error with 200': [
      { body: '{"code":0,"message":"Ada"}' },
      'the service answered that it rejected the request (0)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
  probes: [
    [() => ({ body: '{"id":"1","type":1,"name":"Forms"}' }), 'ok'],
    [() => ({ status: 404, body: '{"code":10015}' }), 'failure'],
  ],
});
