import { holdsPromisesOfChats, readLines, unheld } from '../test/support/chat_suite.ts';
import type { SunkRequest } from '../test/support/http_sink.ts';

const formOf = ({ bytes }: SunkRequest) => Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));

/** https://pushover.net/api */
holdsPromisesOfChats({
  type: 'pushover',
  keys: (origin) => ({
    server: origin,
    token: '{{ env "PUSHOVER_TOKEN" }}',
    user: '{{ env "PUSHOVER_USER" }}',
  }),
  env: { PUSHOVER_TOKEN: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', PUSHOVER_USER: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG' },
  taken: '{"status":1,"request":"647d2300-702c-4b38-8b2f-d56326ae460b"}',
  broken: (request) => {
    const { token = '', user = '', title = '', message = '', priority, ...others } = formOf(request);
    return unheld({
      path: request.url === '/1/messages.json',
      keys: [token, user].every((one) => /^[A-Za-z0-9]{30}$/.test(one)),
      'known keys': Object.keys(others).length === 0 && priority === '0',
      title: title !== '' && [...title].length <= 250,
      message: message !== '' && [...message].length <= 1_024,
    });
  },
  read: (request) => {
    const { title = '', message = '', html } = formOf(request);
    return { title, ...readLines(message), alive: html ? [message] : [] };
  },
  refusals: {
    'no such user': [
      {
        status: 400,
        body: '{"user":"invalid","errors":["user identifier is invalid"],"status":0,"request":"5042853c"}',
      },
      'the server answered 400 (user_invalid)',
    ],
    'no messages left this month': [
      { status: 429, body: '{"errors":["Ada"],"status":0}' },
      'the server answered 429',
    ],
    'too many, with a time': [
      { status: 429, headers: { 'retry-after': '5' } },
      'the server answered 429',
      5_000,
    ],
    'an error with 200': [
      { body: '{"token":"invalid","status":0}' },
      'the service answered that it rejected the request (token_invalid)',
    ],
    'a page': [{ body: '<html>Ada</html>' }, 'the service answered that it rejected the request'],
    'a fault': [{ status: 500 }, 'the server answered 500', 1],
  },
  probes: [
    [() => ({ body: '{"status":1,"devices":["phone"]}' }), 'the application and the user exist'],
    [
      () => ({ status: 400, body: '{"user":"invalid","status":0}' }),
      'the server answered 400 (user_invalid)',
    ],
  ],
});
