import { holdsPromisesOfChats, jsonOf, readLines, unheld } from '../test/support/chat_suite.ts';

const refuses = (status: number, errcode: string, more: object = {}) => ({
  status,
  body: JSON.stringify({ errcode, error: 'Ada', ...more }),
});

/** https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid */
holdsPromisesOfChats({
  type: 'matrix',
  keys: (origin) => ({
    homeserver: `${origin}/synapse`,
    room: '!abc:example.org',
    token: '{{ env "MATRIX_TOKEN" }}',
  }),
  env: { MATRIX_TOKEN: 'syt_secret' },
  taken: '{"event_id":"$1"}',
  broken: (request) => {
    const path =
      /^\/synapse\/_matrix\/client\/v3\/rooms\/!abc%3Aexample\.org\/send\/m\.room\.message\/[\w%-]+$/;
    const { body, msgtype, 'm.mentions': mentions, ...others } = jsonOf(request);
    return unheld({
      path: request.method === 'PUT' && path.test(request.url),
      token: request.headers.authorization === 'Bearer syt_secret',
      // Without `m.mentions`, names and @room in the text notify people.
      event:
        msgtype === 'm.notice' &&
        body !== '' &&
        JSON.stringify(mentions) === '{}' &&
        Object.keys(others).length === 0,
      size: request.bytes.length <= 65_000,
    });
  },
  read: (request) => {
    const [title = '', ...rest] = jsonOf(request).body.split('\n\n');
    return { title, ...readLines(rest.join('\n\n')), alive: [] };
  },
  refusals: {
    'no such token': [refuses(401, 'M_UNKNOWN_TOKEN'), 'the server answered 401 (M_UNKNOWN_TOKEN)'],
    'too many, with a time in the body': [
      refuses(429, 'M_LIMIT_EXCEEDED', { retry_after_ms: 2_400 }),
      'the server answered 429 (M_LIMIT_EXCEEDED)',
      2_400,
    ],
    'too many, with a time in the header': [
      { ...refuses(429, 'M_LIMIT_EXCEEDED'), headers: { 'retry-after': '3' } },
      'the server answered 429 (M_LIMIT_EXCEEDED)',
      3_000,
    ],
    'too many, without a time': [
      refuses(429, 'M_LIMIT_EXCEEDED'),
      'the server answered 429 (M_LIMIT_EXCEEDED)',
      1,
    ],
    'an error with 200': [
      refuses(200, 'M_UNKNOWN'),
      'the service answered that it rejected the request (M_UNKNOWN)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
  probes: [
    [() => ({ body: '{"joined_rooms":["!abc:example.org"]}' }), 'the user is in the room'],
    [() => ({ body: '{"joined_rooms":[]}' }), 'the bot user is not in the room'],
    [() => refuses(401, 'M_UNKNOWN_TOKEN'), 'the server answered 401 (M_UNKNOWN_TOKEN)'],
  ],
});
