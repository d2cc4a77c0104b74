/** Only an allowed origin may read an answer, and the check is exact, byte for byte. */
import { contact } from '../support/index.ts';
import { answersIn, exchange } from './stage.ts';

const fields = '[{name: name}]';
const allowed = 'https://shop.example, https://forms.example:8443, http://localhost:3000';

const get = (...lines: readonly string[]) =>
  ['GET /api/v1/form/contact HTTP/1.1', 'Host: forms.test', 'Connection: close', ...lines, '', ''].join(
    '\r\n',
  );

const grants = (head: string) =>
  [...head.matchAll(/^access-control-allow-origin: (.*)$/gim)].map(([, origin]) => origin);

test.each([
  ['https://shop.example', 'https://evil.test'],
  ['https://evil.test', 'https://shop.example'],
  ['https://shop.example', 'https://shop.example'],
  ['null', 'https://shop.example'],
])('with two Origin headers, neither counts: %s and %s', async (one, other) => {
  const relay = await contact({ fields, env: { ALLOWED_ORIGINS: allowed } });
  const [answer] = answersIn(await exchange(relay, get(`Origin: ${one}`, `Origin: ${other}`)));
  expect(grants(answer?.head ?? '')).toEqual([]);
});

test.each(['*', allowed])(
  'an origin never gets credentials, private networks or made-up headers (%s)',
  async (origins) => {
    const relay = await contact({ fields, env: { ALLOWED_ORIGINS: origins } });
    const asking = [
      'Origin: https://shop.example',
      'Cookie: session=1',
      'Authorization: Basic eA==',
      'Access-Control-Request-Method: DELETE',
    ];
    const more = [
      'Access-Control-Request-Headers: authorization, x-evil, cookie',
      'Access-Control-Request-Private-Network: true',
    ];
    for (const method of ['GET', 'OPTIONS']) {
      const [answer] = answersIn(await exchange(relay, get(...asking, ...more).replace('GET', method)));
      expect(grants(answer?.head ?? '')).toEqual([origins === '*' ? '*' : 'https://shop.example']);
      expect(answer?.head).not.toMatch(
        /allow-credentials|private-network|x-evil|authorization|DELETE|set-cookie/i,
      );
    }
  },
);
