import { expect, test } from 'vitest';
import { examineMailDns } from '../../src/tools/doctor/mail_dns.ts';
import { diagnose, formWith, lonelyResolver, type Records, type Zone } from './stage.ts';

const smtp = (host: string, from?: string) =>
  formWith(JSON.stringify([{ type: 'smtp', host, to: 'a@a.example', mapping: '*', ...(from && { from }) }]));

const ours = (own: Records | 'SERVFAIL', dmarc?: string): Zone => ({
  'mail.host.example': { A: ['192.0.2.1'] },
  'firm.example': own,
  ...(dmarc && { '_dmarc.firm.example': { TXT: [dmarc] } }),
});
const mx = ['mail.firm.example'];
const allowing = ['v=spf1 a:mail.host.example -all'];
const reject = 'v=DMARC1; p=reject';

test.each<[string, Zone, readonly RegExp[]]>([
  [
    'all is well',
    ours({ MX: mx, TXT: allowing }, reject),
    [
      /^ok SPF of firm\.example: allows mail\.host\.example \(192\.0\.2\.1\)/,
      /^ok DMARC of firm\.example: p=reject; SPF aligns/,
    ],
  ],
  [
    'nothing is published',
    ours({ MX: mx }),
    [
      /^warning SPF of firm\.example: there is no record.* -> Publish a TXT/,
      /^warning DMARC of firm\.example: there is no record.* -> Publish/,
    ],
  ],
  [
    'the server is not allowed, and DMARC rejects',
    ours({ MX: mx, TXT: ['v=spf1 mx -all'] }, reject),
    [
      /^warning SPF of firm\.example: does not seem to allow mail\.host\.example \(fail .* -> Ask whoever runs/,
      /^warning DMARC of firm\.example: p=reject: unless mail\.host\.example signs with DKIM for firm\.example, receivers reject it -> DKIM cannot be seen from here.*Authentication-Results/,
    ],
  ],
  [
    'the server is not allowed, and DMARC watches',
    ours({ MX: mx, TXT: ['v=spf1 ~all'] }, 'v=DMARC1; p=none'),
    [/^warning SPF .*softfail/, /^ok DMARC of firm\.example: p=none: mail is delivered even if/],
  ],
  [
    'SPF is broken',
    ours({ MX: mx, TXT: ['v=spf1 -all', 'v=spf1 -all'] }, reject),
    [/^failure SPF .*2 SPF records/, /^warning DMARC /],
  ],
  [
    'everybody is allowed',
    ours({ MX: mx, TXT: ['v=spf1 +all'] }, reject),
    [/^warning SPF .*\+all/, /^warning DMARC /],
  ],
  ['the domain does not exist', {}, [/^failure web@firm\.example: firm\.example has neither MX nor address/]],
  ['the domain takes no mail', ours({ MX: [''] }), [/^failure web@firm\.example: .*null MX/]],
  ['the DNS is in trouble', ours('SERVFAIL'), [/^warning firm\.example: not looked at: .*ESERVFAIL/]],
])('from an own domain: %s', async (_, zone, expected) => {
  const lines = await diagnose(examineMailDns, smtp('mail.host.example', 'web@firm.example'), { zone });
  expect(lines).toEqual(expected.map((one) => expect.stringMatching(one)));
});

test.each([
  [
    'smtp.gmail.com',
    undefined,
    /^failure relay@smtp\.gmail\.com: the default sender is at a domain of Google.* -> Give the output a `from:`/,
  ],
  ['smtp.sendgrid.net', undefined, /^failure relay@smtp\.sendgrid\.net: /],
  [
    'mail.host.example',
    'ann@gmail.com',
    /^failure ann@gmail\.com: only Google may send from gmail\.com; through mail\.host\.example, .*forged/,
  ],
  ['smtp.gmail.com', 'ann@yahoo.co.uk', /^failure ann@yahoo\.co\.uk: only Yahoo may send.*; through Google/],
  [
    '127.0.0.1',
    undefined,
    /^warning relay@\[127\.0\.0\.1\]: the default sender at this host is not an address on the internet/,
  ],
  ['localhost', undefined, /^warning relay@localhost: /],
  ['postfix', undefined, /^warning relay@postfix: /],
])('through %s as %s, without asking the DNS', async (host, from, expected) => {
  const stage = { resolver: lonelyResolver };
  expect(await diagnose(examineMailDns, smtp(host, from), stage)).toEqual([expect.stringMatching(expected)]);
});

test('a mailbox of a provider through its own server is fine', async () => {
  const zone: Zone = {
    'gmail.com': { MX: ['gmail-smtp-in.l.google.com'], TXT: ['v=spf1 redirect=_spf.google.com'] },
    '_spf.google.com': { TXT: ['v=spf1 ip4:192.0.2.0/24 ~all'] },
    'smtp.gmail.com': { A: ['192.0.2.7'] },
    '_dmarc.gmail.com': { TXT: ['v=DMARC1; p=none; sp=quarantine'] },
  };
  expect(await diagnose(examineMailDns, smtp('smtp.gmail.com', 'ann@gmail.com'), { zone })).toEqual([
    expect.stringMatching(/^ok SPF of gmail\.com: allows smtp\.gmail\.com/),
    expect.stringMatching(/^ok DMARC of gmail\.com: p=none; SPF aligns/),
  ]);
});

test('through a service with an envelope sender of its own, DKIM decides', async () => {
  const zone = ours({ MX: mx, TXT: ['v=spf1 -all'] }, reject);
  expect(await diagnose(examineMailDns, smtp('smtp.sendgrid.net', 'web@firm.example'), { zone })).toEqual([
    expect.stringMatching(
      /^warning DMARC of firm\.example: p=reject: unless smtp\.sendgrid\.net signs with DKIM/,
    ),
  ]);
});

test('the default sender of a server of one’s own is at the server’s name', async () => {
  const zone: Zone = {
    'mail.firm.example': { A: ['192.0.2.1'], TXT: ['v=spf1 a -all'] },
    '_dmarc.firm.example': { TXT: [reject] },
  };
  expect(await diagnose(examineMailDns, smtp('mail.firm.example'), { zone })).toEqual([
    expect.stringMatching(/^ok SPF of mail\.firm\.example: allows/),
    expect.stringMatching(/^ok DMARC of mail\.firm\.example: p=reject, from firm\.example; SPF aligns/),
  ]);
});

const email = formWith('[{type: email, to: a@a.example, mapping: "*"}]');

test('from SES: the policy is told; whether DKIM vouches stands with the identity', async () => {
  const env = { MAIL_FROM_ADDRESS: 'Firm <web@Firm.example>' };
  expect(
    await diagnose(examineMailDns, email, { env, zone: ours({ MX: mx }, `${reject}; adkim=s`) }),
  ).toEqual(['ok DMARC of firm.example: p=reject, adkim=s']);
});

test('from SES as somebody else', async () => {
  const env = { MAIL_FROM_ADDRESS: 'ann@outlook.com' };
  expect(await diagnose(examineMailDns, email, { env })).toEqual([
    expect.stringMatching(
      /^failure ann@outlook\.com: only Microsoft may send .* through Amazon SES.* -> Set MAIL_FROM_ADDRESS/,
    ),
  ]);
});

test('a network without a way out is one warning', async () => {
  const stage = { resolver: lonelyResolver };
  expect(await diagnose(examineMailDns, smtp('mail.host.example', 'web@firm.example'), stage)).toEqual([
    expect.stringMatching(/^warning firm\.example: .*knows no names of the internet/),
  ]);
});
