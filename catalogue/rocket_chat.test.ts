import { holdsPromisesOfChats, jsonOf, unheld } from '../test/support/chat_suite.ts';

/** https://docs.rocket.chat/docs/integrations; mentions as its server finds them, even in code (MentionsParser.ts). */
holdsPromisesOfChats({
  type: 'rocket_chat',
  keys: (origin) => ({ url: `${origin}/hooks/XXXX/XXXX` }),
  taken: '{"success":true}',
  broken: (request) => {
    const { text, parseUrls, ...others } = jsonOf(request);
    return unheld({
      'known keys':
        request.url === '/hooks/XXXX/XXXX' && Object.keys(others).length === 0 && parseUrls === false,
      text: text.trim() !== '' && text.length <= 5_000,
    });
  },
  read: (request) => {
    const { text } = jsonOf(request);
    const alive: string[] = text.match(/(^|\s|>)[@#][\w.-]+/gm) ?? [];
    const plain = (markup: string) =>
      markup
        .split('\n')
        .map((line) => {
          const code = /^`([^`]+)`$/.exec(line);
          // An invisible joiner follows each character that could be markup.
          if (!code) alive.push(...(line.match(/[!-/:-@[-`{-~](?!\u2060)/g) ?? []));
          return (code?.[1] ?? line).replaceAll('\u2060', '').replaceAll('\u02cb', '`');
        })
        .join('\n');
    const [heading = '', ...lines] = text.split('\n');
    const entries: [string, string][] = [];
    const footer: string[] = [];
    for (const line of lines) {
      const [, label, value] = /^\*([^`]+):\u2060\*(?: (`.*`))?$/.exec(line) ?? [];
      const last = entries.at(-1);
      if (label !== undefined) entries.push([plain(label), value === undefined ? '' : plain(value)]);
      else if (last && /^(`https:|`\d+ more fields)/.test(line)) footer.push(plain(line));
      else if (last) last[1] += `${last[1] === '' ? '' : '\n'}${plain(line)}`;
    }
    return { title: plain(heading.replace(/^\*(.*)\*$/, '$1')), entries, footer, alive };
  },
  refusals: {
    'no such webhook': [
      { status: 401, body: '{"success":false,"error":"Invalid integration id or token provided."}' },
      'the server answered 401 (Invalid_integration_id)',
    ],
    'no such channel': [
      { status: 400, body: '{"success":false,"error":"invalid-channel"}' },
      'the server answered 400 (invalid-channel)',
    ],
    'a webhook that is off': [
      { status: 503, body: '{"success":false,"error":"Service Unavailable"}' },
      'the server answered 503',
      1,
    ],
    'too many, with a time in the body': [
      {
        status: 429,
        body: '{"success":false,"error":"Error, too many requests. Please slow down. You must wait 23 seconds before trying this endpoint again. [error-too-many-requests]"}',
      },
      'the server answered 429 (error-too-many-requests)',
    ],
    'too many, without a time': [{ status: 429 }, 'the server answered 429'],
    'an error with 200': [
      { body: '{"success":false,"error":"Ada wrote"}' },
      'the service answered that it rejected the request',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
});
