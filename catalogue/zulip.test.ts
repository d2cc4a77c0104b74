import { holdsPromisesOfChats, unheld } from '../test/support/chat_suite.ts';
import type { SunkRequest } from '../test/support/http_sink.ts';

const formOf = ({ bytes }: SunkRequest) => Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));

/** https://zulip.com/api/send-message, /rest-error-handling; the inline patterns of zerver/lib/markdown, which has no escapes. */
holdsPromisesOfChats({
  type: 'zulip',
  keys: (origin) => ({
    url: origin,
    bot: 'forms-bot@zulip.test',
    key: '{{ env "ZULIP_KEY" }}',
    channel: 'sales',
  }),
  env: { ZULIP_KEY: 'AbC.dEf' },
  taken: '{"id":42,"msg":"","result":"success"}',
  broken: (request) => {
    const { type, to, topic, content = '', ...others } = formOf(request);
    return unheld({
      path: request.url === '/api/v1/messages',
      login: request.headers.authorization === `Basic ${btoa('forms-bot@zulip.test:AbC.dEf')}`,
      'known keys':
        Object.keys(others).length === 0 && type === 'stream' && to === 'sales' && topic === 'contact',
      content: content.trim() !== '' && [...content].length <= 10_000,
    });
  },
  read: (request) => {
    const { content = '' } = formOf(request);
    const alive: string[] = content.match(/^`{3}/gm) ?? [];
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
    const [heading = '', ...lines] = content.split('\n');
    const entries: [string, string][] = [];
    const footer: string[] = [];
    for (const line of lines) {
      const [, label, value] = /^\*\*([^`]+):\u2060\*\*(?: (`.*`))?$/.exec(line) ?? [];
      const last = entries.at(-1);
      if (label !== undefined) entries.push([plain(label), value === undefined ? '' : plain(value)]);
      else if (last && /^(`https:|`\d+ more fields)/.test(line)) footer.push(plain(line));
      else if (last) last[1] += `${last[1] === '' ? '' : '\n'}${plain(line)}`;
    }
    return { title: plain(heading.replace(/^\*\*(.*)\*\*$/, '$1')), entries, footer, alive };
  },
  refusals: {
    'no such channel': [
      { status: 400, body: '{"code":"STREAM_DOES_NOT_EXIST","msg":"Ada","result":"error"}' },
      'the server answered 400 (STREAM_DOES_NOT_EXIST)',
    ],
    'too many, with a time in the body': [
      { status: 429, body: '{"code":"RATE_LIMIT_HIT","retry-after":2.5,"result":"error"}' },
      'the server answered 429 (RATE_LIMIT_HIT)',
      2_500,
    ],
    'too many, without a time': [{ status: 429 }, 'the server answered 429'],
    'an error with 200': [
      { body: '{"result":"error","code":"BAD_REQUEST"}' },
      'the service answered that it rejected the request (BAD_REQUEST)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
  probes: [
    [() => ({ body: '{"result":"success","email":"forms-bot@zulip.test"}' }), 'the bot exists'],
    [
      () => ({ status: 401, body: '{"result":"error","code":"UNAUTHORIZED"}' }),
      'the server answered 401 (UNAUTHORIZED)',
    ],
  ],
});
