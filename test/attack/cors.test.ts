/** Only an origin that the owner allowed may read an answer: as a whole, byte for byte. */
import { expect, test } from 'vitest';
import { contact, relayWith } from '../spec/stage.ts';
import { answersIn, exchange, postHead } from './stage.ts';

const fields = '[{name: name}]';
const allowed = 'https://shop.example, https://forms.example:8443, http://localhost:3000';

const strangers = [
  ...['null', '*', 'file://', 'about:blank', 'data:', '', ' ', ','],
  ...[
    'https://shop.example.evil.test',
    'https://evilshop.example',
    'https://evil.shop.example',
    'https://shop.exampleevil.test',
  ],
  ...[
    'https://shop.example.',
    'https://.shop.example',
    'https://shop..example',
    'https://shop.example:443',
    'https://shop.example:8443',
    'https://shop.example:',
  ],
  ...['http://shop.example', 'ftp://shop.example', '//shop.example', 'shop.example', 'wss://shop.example'],
  ...[
    'https://shop.example/',
    'https://shop.example/x',
    'https://shop.example?x',
    'https://shop.example#x',
    'https://shop.example@evil.test',
  ],
  ...[
    'https://evil.test/https://shop.example',
    'https://evil.test?https://shop.example',
    'https://evil.test#https://shop.example',
  ],
  ...[
    'https://shop.example%00.evil.test',
    'https://shop.example%2eevil.test',
    'https://shop.example`.evil.test',
    'https://shop.example_.evil.test',
  ],
  ...['HTTPS://SHOP.EXAMPLE', 'https://Shop.example', 'https://shop.examplE'],
  ...[
    'https://shop.example, https://shop.example',
    'https://shop.example,https://evil.test',
    'https://shop.example https://evil.test',
  ],
  ...[
    'https://forms.example',
    'https://forms.example:08443',
    'https://forms.example:8443 ,',
    'https://forms.example:84430',
  ],
  ...[
    'http://localhost',
    'http://localhost:30000',
    'http://localhost.evil.test:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ],
  ...['https://sh\xf6p.example', 'https://xn--shp-fka.example', '__proto__', 'constructor', 'has'],
];

const get = (...lines: readonly string[]) =>
  ['GET /api/v1/form/contact HTTP/1.1', 'Host: forms.test', 'Connection: close', ...lines, '', ''].join(
    '\r\n',
  );

const grants = (head: string) =>
  [...head.matchAll(/^access-control-allow-origin: (.*)$/gim)].map(([, origin]) => origin);

test.each(strangers)('%j may read nothing', async (origin) => {
  const relay = await contact({ fields, env: { ALLOWED_ORIGINS: allowed } });
  const preflight = get(`Origin: ${origin}`, 'Access-Control-Request-Method: POST').replace('GET', 'OPTIONS');
  const post = `${postHead(`Origin: ${origin}`, 'Content-Length: 8', 'Connection: close')}name=Ann`;
  for (const bytes of [get(`Origin: ${origin}`), preflight, post]) {
    const [answer] = answersIn(await exchange(relay, bytes));
    expect(grants(answer?.head ?? '')).toEqual([]);
    expect(answer?.head).toMatch(/^vary: .*\bOrigin\b/im);
  }
});

test.each([
  ['https://shop.example', 'https://evil.test'],
  ['https://evil.test', 'https://shop.example'],
  ['https://shop.example', 'https://shop.example'],
  ['null', 'https://shop.example'],
])('of two Origin headers, neither counts: %s and %s', async (one, other) => {
  const relay = await contact({ fields, env: { ALLOWED_ORIGINS: allowed } });
  const [answer] = answersIn(await exchange(relay, get(`Origin: ${one}`, `Origin: ${other}`)));
  expect(grants(answer?.head ?? '')).toEqual([]);
});

test.each(['*', allowed])(
  'no origin ever gets credentials, private networks or headers of its own making (%s)',
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

test('no origin gets a header through another of its headers', async () => {
  const relay = await relayWith({ config: 'forms: {}', env: { ALLOWED_ORIGINS: allowed } });
  const asking = [
    'Origin: https://shop.example',
    'Access-Control-Allow-Origin: https://evil.test',
    'Vary: x',
    'X-Request-Id: forged',
    'X-Forwarded-Host: evil.test',
  ];
  const [answer] = answersIn(await exchange(relay, get(...asking)));
  expect(grants(answer?.head ?? '')).toEqual(['https://shop.example']);
  expect(answer?.head).not.toMatch(/evil|forged/);
});
