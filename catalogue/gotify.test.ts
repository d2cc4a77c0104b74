import { holdsPromisesOfChats, jsonOf, readLines, unheld } from '../test/support/chat_suite.ts';

/** https://github.com/gotify/server/blob/master/docs/spec.json: `CreateMessage`, `Error`, `Health` */
holdsPromisesOfChats({
  type: 'gotify',
  keys: (origin) => ({ url: `${origin}/push`, token: '{{ env "GOTIFY_TOKEN" }}', priority: 5 }),
  env: { GOTIFY_TOKEN: 'AbC.dEf' },
  taken: '{"id":25,"appid":5,"message":"x","date":"2026-01-01T00:00:00Z"}',
  broken: (request) => {
    const { title, message, priority, ...others } = jsonOf(request);
    return unheld({
      path: request.url === '/push/message',
      token: request.headers['x-gotify-key'] === 'AbC.dEf',
      'known keys': Object.keys(others).length === 0 && priority === 5,
      text: typeof title === 'string' && message.trim() !== '',
    });
  },
  read: (request) => {
    const { title, message, extras } = jsonOf(request);
    // Markdown is interpreted only if `extras` says so.
    return { title, ...readLines(message), alive: extras ? [message] : [] };
  },
  refusals: {
    'no such token': [
      { status: 401, body: '{"error":"Unauthorized","errorCode":401,"errorDescription":"Ada"}' },
      'the server answered 401 (Unauthorized)',
    ],
    'too many, with a time': [
      { status: 429, headers: { 'retry-after': '2' } },
      'the server answered 429',
      2_000,
    ],
    'too many, without a time': [{ status: 429 }, 'the server answered 429'],
    'an error with 200': [
      { body: '{"error":"Forbidden","errorCode":403}' },
      'the service answered that it rejected the request (Forbidden)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
  probes: [
    [() => ({ body: '{"health":"green","database":"green"}' }), 'the server is healthy'],
    [() => ({ body: '{"health":"green","database":"red"}' }), 'the server is not healthy'],
    [() => ({ status: 404 }), 'the server answered 404'],
  ],
});
