import { holdsPromisesOfChats, jsonOf, readLines, unheld } from '../test/support/chat_suite.ts';

const refuses = (status: number, message = 'Ada') => ({
  status,
  body: `{"message":"${message}","errors":[{"description":"Ada"}],"trackingId":"ROUTER_5BA1-01BB-8A2F"}`,
});

/** https://developer.webex.com/messaging/docs/api/v1/messages/create-a-message */
holdsPromisesOfChats({
  type: 'webex',
  keys: (origin) => ({ server: origin, room: 'Y2lzY29', token: '{{ env "WEBEX_TOKEN" }}' }),
  env: { WEBEX_TOKEN: 'ZDI3MGEyYzQ' },
  taken: '{"id":"Y2lzY28","roomId":"Y2lzY29","text":""}',
  broken: (request) => {
    const { roomId, text, ...others } = jsonOf(request);
    return unheld({
      path: request.url === '/v1/messages' && request.headers.authorization === 'Bearer ZDI3MGEyYzQ',
      'known keys': Object.keys(others).length === 0 && roomId === 'Y2lzY29',
      text: text.trim() !== '' && Buffer.byteLength(text) <= 7_439,
    });
  },
  read: (request) => {
    const [title = '', ...lines] = jsonOf(request).text.split('\n');
    return { title, ...readLines(lines.join('\n')), alive: [] };
  },
  refusals: {
    'no such space': [refuses(404), 'the server answered 404 (ROUTER_5BA1-01BB-8A2F)'],
    'an invalid token': [
      refuses(401, 'The request requires a valid access token set in the Authorization request header.'),
      'the server answered 401 (valid_access_token)',
    ],
    'too many, with a time': [
      { status: 429, headers: { 'retry-after': '4' } },
      'the server answered 429',
      4_000,
    ],
    'too many, without a time': [{ status: 429 }, 'the server answered 429'],
    'an error with 200': [
      refuses(200),
      'the service answered that it rejected the request (ROUTER_5BA1-01BB-8A2F)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
  probes: [
    [() => ({ body: '{"id":"Y2lzY29","title":"Sales"}' }), 'the bot is in the space'],
    [() => refuses(404), 'the server answered 404'],
  ],
});
