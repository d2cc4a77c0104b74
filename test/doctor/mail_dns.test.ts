import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { examineMailDns } from '../../packages/cli/src/doctor/mail_dns.ts';
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
      /^warning SPF of firm\.example: there is no record.* -> Publish this record in the DNS, .*: \[firm\.example TXT v=spf1 mx a:mail\.host\.example ~all\]$/,
      /^warning DMARC of firm\.example: there is no record.* -> Publish this .*: \[_dmarc\.firm\.example TXT v=DMARC1; p=none; rua=mailto:postmaster@firm\.example\]$/,
    ],
  ],
  [
    'the server is not allowed, and DMARC rejects',
    ours({ MX: mx, TXT: ['v=spf1 mx -all'] }, reject),
    [
      /^warning SPF of firm\.example: does not seem to allow mail\.host\.example \(fail .* -> Replace it .* \[firm\.example TXT v=spf1 mx a:mail\.host\.example -all\]$/,
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
    ours({ MX: mx, TXT: ['v=spf1 mx -all', 'v=spf1 -all'] }, reject),
    [
      /^failure SPF .*2 SPF records.* -> Leave this .* \[firm\.example TXT v=spf1 mx a:mail\.host\.example -all\]$/,
      /^warning DMARC /,
    ],
  ],
  [
    'everybody is allowed',
    ours({ MX: mx, TXT: ['v=spf1 +all'] }, reject),
    [/^warning SPF .*\+all.* \[firm\.example TXT v=spf1 a:mail\.host\.example ~all\]$/, /^warning DMARC /],
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
    expect.stringMatching(/^ok SPF of gmail\.com: allows the servers of Google \(_spf/),
    expect.stringMatching(/^ok DMARC of gmail\.com: p=none; SPF aligns/),
  ]);
});

test('the record that STRATO shows for a domain is known as its own', async () => {
  const zone: Zone = {
    ...ours({ MX: mx, TXT: ['v=spf1 redirect=_spf.strato.com'] }, reject),
    '_spf.strato.com': { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] },
    'smtp.strato.de': { A: ['198.51.100.1'] },
  };
  expect(await diagnose(examineMailDns, smtp('smtp.strato.de', 'web@firm.example'), { zone })).toEqual([
    expect.stringMatching(/^ok SPF of firm\.example: allows the servers of STRATO/),
    expect.stringMatching(/^ok DMARC /),
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

describe('the record that is missing, to paste', () => {
  const google = { TXT: ['v=spf1 ip4:192.0.2.0/24 ~all'] };
  const many = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`i${index}.example`, { TXT: ['v=spf1 -all'] }]),
  );
  const ten = `v=spf1 ${Object.keys(many)
    .map((name) => `include:${name}`)
    .join(' ')} -all`;

  test.each<[string, string, Zone, readonly RegExp[]]>([
    [
      'a service says which servers are its own',
      'smtp.gmail.com',
      { ...ours({ MX: mx }, reject), '_spf.google.com': google },
      [/^warning SPF .* \[firm\.example TXT v=spf1 include:_spf\.google\.com ~all\]$/, /^warning DMARC /],
    ],
    [
      'it comes into the record that is there, before its end',
      'smtp.office365.com',
      {
        ...ours({ MX: mx, TXT: ['v=spf1 mx ip4:192.0.2.9  -all'] }, reject),
        'spf.protection.outlook.com': google,
      },
      [
        /^warning SPF .* \[firm\.example TXT v=spf1 mx ip4:192\.0\.2\.9 include:spf\.protection\.outlook\.com -all\]$/,
        /^warning DMARC /,
      ],
    ],
    [
      'a record that leads on leads on after it',
      'mail.infomaniak.com',
      {
        ...ours({ MX: mx, TXT: ['v=spf1 redirect=other.example'] }, reject),
        'other.example': { TXT: ['v=spf1 -all'] },
        'spf.infomaniak.ch': google,
      },
      [
        /^warning SPF .* \[firm\.example TXT v=spf1 include:spf\.infomaniak\.ch redirect=other\.example\]$/,
        /^warning DMARC /,
      ],
    ],
    [
      'a record that has it needs nothing, wherever the server is',
      'smtp.gmail.com',
      {
        ...ours({ MX: mx, TXT: ['v=spf1 include:_spf.google.com -all'] }, reject),
        '_spf.google.com': google,
        'smtp.gmail.com': { A: ['198.51.100.1'] },
      },
      [
        /^ok SPF of firm\.example: allows the servers of Google \(_spf\.google\.com\)$/,
        /^ok DMARC .*SPF aligns/,
      ],
    ],
    [
      'a term that turns its servers away is replaced',
      'smtp.gmail.com',
      {
        ...ours({ MX: mx, TXT: ['v=spf1 -include:_spf.google.com -all'] }, reject),
        '_spf.google.com': google,
        'smtp.gmail.com': { A: ['192.0.2.1'] },
      },
      [/^warning SPF .* \[firm\.example TXT v=spf1 include:_spf\.google\.com -all\]$/, /^warning DMARC /],
    ],
    [
      'a record of the service that is gone is not pasted',
      'smtp.gmail.com',
      ours({ MX: mx }, reject),
      [/^warning SPF .* -> Ask whoever runs smtp\.gmail\.com[^[]*$/, /^warning DMARC /],
    ],
    [
      'nobody is told to paste what receivers do not read to its end',
      'smtp.gmail.com',
      { ...ours({ MX: mx, TXT: [ten] }, reject), ...many, '_spf.google.com': google },
      [/^warning SPF .* -> Ask whoever runs smtp\.gmail\.com[^[]*$/, /^warning DMARC /],
    ],
    [
      'a service whose servers are not known is asked',
      'smtp.zoho.eu',
      ours({ MX: mx }, reject),
      [/^warning SPF .* -> Ask whoever runs smtp\.zoho\.eu[^[]*$/, /^warning DMARC /],
    ],
    [
      'two records are made one, also of a service whose servers are not known',
      'smtp.zoho.eu',
      ours({ MX: mx, TXT: ['v=spf1 mx -all', 'v=spf1 ip4:192.0.2.1 ~all'] }, reject),
      [/^failure SPF .* \[firm\.example TXT v=spf1 mx ip4:192\.0\.2\.1 ~all\]$/, /^warning DMARC /],
    ],
    [
      'a server by its address',
      '192.0.2.7',
      ours({ A: ['192.0.2.1'] }, reject),
      [/^warning SPF .* \[firm\.example TXT v=spf1 ip4:192\.0\.2\.7 ~all\]$/, /^warning DMARC /],
    ],
    [
      'a server on this machine sends from an address that is not known here',
      'localhost',
      ours({ MX: mx, TXT: ['v=spf1 mx -all'] }, reject),
      [
        /^warning SPF .*cannot be seen.* -> The record has to allow the public address[^[]*$/,
        /^warning DMARC /,
      ],
    ],
    [
      'and so does one in a private network',
      'mail.office.example',
      { ...ours({ MX: mx }, reject), 'mail.office.example': { A: ['10.0.0.5'], AAAA: ['fd00::5'] } },
      [/^warning SPF .*no record.* -> Publish a TXT record at firm\.example\.[^[]*$/, /^warning DMARC /],
    ],
    [
      'a server that takes mail for its own customers sees the address of the relay',
      'firm-example.mail.protection.outlook.com',
      {
        ...ours({ MX: mx, TXT: ['v=spf1 include:spf.protection.outlook.com -all'] }, reject),
        'spf.protection.outlook.com': google,
        'firm-example.mail.protection.outlook.com': { A: ['192.0.2.5'] },
      },
      [
        /^warning SPF .*: is there; whether it allows this machine cannot be seen, which hands mail to firm-example\.mail\.protection\.outlook\.com without a login -> The record has to allow the public address that the relay sends from[^[]*$/,
        /^warning DMARC /,
      ],
    ],
    [
      'a provider may name some of its servers',
      'smtp.ionos.de',
      { ...ours({ MX: mx }, reject), '_spf-eu.ionos.com': google },
      [/^warning SPF .* \[firm\.example TXT v=spf1 include:_spf-eu\.ionos\.com ~all\]$/, /^warning DMARC /],
    ],
    [
      'and of others say nothing',
      'smtp.ionos.com',
      { ...ours({ MX: mx }, reject), '_spf-eu.ionos.com': google },
      [/^warning SPF .* -> Ask whoever runs smtp\.ionos\.com[^[]*$/, /^warning DMARC /],
    ],
    [
      'what is no record at all is corrected by hand',
      'mail.host.example',
      ours({ MX: mx, TXT: ['v=spf1 ipv4:1.2.3.4 -all'] }, reject),
      [/^failure SPF .* -> Correct the TXT record at firm\.example[^[]*$/, /^warning DMARC /],
    ],
  ])('%s', async (_, host, zone, expected) => {
    const lines = await diagnose(examineMailDns, smtp(host, 'web@firm.example'), { zone });
    expect(lines).toEqual(expected.map((one) => expect.stringMatching(one)));
  });
});

describe('mails that the relay signs', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const env = { DKIM_KEY: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  const pOf = ({ publicKey }: typeof pair) =>
    publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const right = `v=DKIM1; k=rsa; p=${pOf(pair)}`;
  const signing = (domain = 'firm.example') =>
    formWith(
      JSON.stringify([
        {
          ...{ type: 'smtp', host: 'mail.host.example', to: 'a@a.example', from: 'web@firm.example' },
          ...{ mapping: '*', dkim: { domain, selector: 's1', key: '{{ env "DKIM_KEY" }}' } },
        },
      ]),
    );
  const zone = (record: string | readonly string[] | undefined, dmarc = reject, domain = 'firm.example') => ({
    ...ours({ MX: mx, TXT: ['v=spf1 -all'] }, dmarc),
    ...(record !== undefined && { [`s1._domainkey.${domain}`]: { TXT: [record].flat() } }),
  });
  const paste = / \[s1\._domainkey\.firm\.example TXT v=DKIM1; k=rsa; p=MII[\w+/=]+\]$/;

  test('the key belongs to that in the DNS, and DMARC passes by it alone', async () => {
    const lines = await diagnose(examineMailDns, signing(), { env, zone: zone(right) });
    expect(lines).toEqual([
      'ok DKIM of firm.example, selector s1: the key in the DNS belongs to DKIM_KEY',
      expect.stringMatching(/^warning SPF /),
      'ok DMARC of firm.example: p=reject; DKIM aligns, since the relay signs as firm.example',
    ]);
  });

  test.each<[string, string | readonly string[] | undefined, RegExp]>([
    ['no key in the DNS', undefined, /^failure DKIM .*there is no key at s1\._domainkey\.firm\.example: /],
    ['something else there', 'google-site-verification=x', /^failure DKIM .*there is no key at/],
    ['the key of another', `v=DKIM1; p=${pOf(other)}`, /^failure DKIM .*is not that of DKIM_KEY/],
    ['a revoked key', 'v=DKIM1; p=', /^failure DKIM .*was revoked/],
    ['another kind of key', `v=DKIM1; k=ed25519; p=${pOf(pair)}`, /^failure DKIM .*k=ed25519/],
    ['another version', `v=DKIM2; p=${pOf(pair)}`, /^failure DKIM .*v=DKIM2/],
    ['SHA-1 alone', `v=DKIM1; h=sha1; p=${pOf(pair)}`, /^failure DKIM .*SHA-256/],
    ['not for mail', `v=DKIM1; s=other; p=${pOf(pair)}`, /^failure DKIM .*not for mail/],
    ['two keys', [right, right], /^failure DKIM .*2 keys/],
    ['a test', `${right}; t=y`, /^failure DKIM .*t=y/],
  ])('%s: the right record is given', async (_, record, expected) => {
    const [first, ...rest] = await diagnose(examineMailDns, signing(), { env, zone: zone(record) });
    expect(first).toMatch(expected);
    expect(first).toMatch(paste);
    expect(first?.endsWith(`p=${pOf(pair)}]`)).toBe(true);
    expect(rest).toContainEqual(expect.stringMatching(/^warning DMARC .*unless mail\.host\.example signs/));
    expect([first, ...rest].join()).not.toContain('PRIVATE');
  });

  test.each([
    ['SPF vouches for it', ours({ MX: mx, TXT: allowing }, reject)],
    ['DMARC watches', ours({ MX: mx }, 'v=DMARC1; p=none')],
    ['there is no DMARC', ours({ MX: mx })],
  ])('a mail that arrives without, since %s, is no failure', async (_, zone) => {
    const [first] = await diagnose(examineMailDns, signing(), { env, zone });
    expect(first).toMatch(/^warning DKIM .*there is no key/);
  });

  test.each([
    ['in pieces and with spaces', right.replace('p=', 'p= ').replace(/(.{100})$/, ' $1')],
    ['without what goes without saying', `p=${pOf(pair)}`],
    ['with what allows it', `v=DKIM1; h=sha1:sha256; s=*; t=s; n=ours; p=${pOf(pair)};`],
  ])('a record %s is read', async (_, record) => {
    const [first] = await diagnose(examineMailDns, signing(), { env, zone: zone(record) });
    expect(first).toMatch(/^ok DKIM /);
  });

  test('a domain below signs for the organization, unless DMARC is strict', async () => {
    const at = 'mail.firm.example';
    const last = async (dmarc: string) =>
      (await diagnose(examineMailDns, signing(at), { env, zone: zone(right, dmarc, at) })).at(-1);
    expect(await last(reject)).toMatch(/^ok DMARC .*signs as mail\.firm\.example/);
    expect(await last(`${reject}; adkim=s`)).toMatch(
      /^warning DMARC .*a signature of mail\.firm\.example does not count: unless/,
    );
  });

  test('the organization signs for a domain below that has a policy of its own', async () => {
    const below = signing().replaceAll('web@firm.example', 'web@mail.firm.example');
    const zones: Zone = {
      ...zone(right),
      'mail.firm.example': { MX: mx },
      '_dmarc.mail.firm.example': { TXT: ['v=DMARC1; p=quarantine'] },
    };
    const last = async (own: string) =>
      (
        await diagnose(examineMailDns, below, {
          env,
          zone: { ...zones, '_dmarc.mail.firm.example': { TXT: [own] } },
        })
      ).at(-1);
    expect(await last('v=DMARC1; p=quarantine')).toMatch(/^ok DMARC .*signs as firm\.example/);
    // Where it says that it is an organization itself, the one above is another.
    expect(await last('v=DMARC1; p=quarantine; psd=n')).toMatch(
      /^warning DMARC .*a signature of firm\.example does not count/,
    );
  });

  test('without its key nothing is said of the DNS', async () => {
    const [first] = await diagnose(examineMailDns, signing(), { zone: zone(right) });
    expect(first).toMatch(/^warning DKIM .*not looked at without its key -> Set DKIM_KEY\.$/);
  });

  test('what is no key', async () => {
    const [first] = await diagnose(examineMailDns, signing(), {
      env: { DKIM_KEY: 'hunter2' },
      zone: zone(right),
    });
    expect(first).toMatch(
      /^failure DKIM .*nothing is delivered \(forms\.contact\.outputs\[0\]\) -> .*openssl/,
    );
    expect(first).not.toContain('hunter2');
  });
});

describe('mails to visitors', () => {
  const visitors = (keys: object = {}, outputs: readonly object[] = []) =>
    JSON.stringify({
      forms: {
        contact: {
          fields: [{ name: 'email', type: 'email' }],
          confirmation_mail: { to: 'email', subject: 'Thank you', text: 'We have it.', ...keys },
          outputs: [
            {
              type: 'smtp',
              host: 'mail.host.example',
              from: 'web@firm.example',
              to: 'a@a.example',
              mapping: '*',
            },
            ...outputs,
          ],
        },
      },
    });
  const zone = ours({ MX: mx, TXT: allowing }, reject);

  test('have no envelope sender, so SPF does not help them', async () => {
    expect(await diagnose(examineMailDns, visitors(), { zone })).toEqual([
      expect.stringMatching(/^ok SPF of firm\.example/),
      expect.stringMatching(/^ok DMARC of firm\.example: p=reject; SPF aligns/),
      expect.stringMatching(
        /^warning DMARC of firm\.example, mails to visitors: p=reject; they have no envelope sender, .*: unless mail\.host\.example signs with DKIM/,
      ),
    ]);
  });

  test('have a sender of their own, which is looked at', async () => {
    const config = visitors({ from: 'Firm <hello@gmail.com>' });
    expect(await diagnose(examineMailDns, config, { zone })).toContainEqual(
      expect.stringMatching(
        /^failure hello@gmail\.com: only Google may send .* \(forms\.contact\.confirmation_mail\) -> Give it a `from:`/,
      ),
    );
  });

  test('that ask whether an address is right are looked at, too', async () => {
    const config = JSON.parse(visitors());
    config.forms.contact.fields[0].required = true;
    config.forms.contact.double_opt_in = {
      ...{ to: 'email', subject: 'Is it you?', text: 'Click here.', from: 'hello@outlook.com' },
    };
    expect(await diagnose(examineMailDns, JSON.stringify(config), { zone })).toContainEqual(
      expect.stringMatching(/^failure hello@outlook\.com: .* \(forms\.contact\.double_opt_in\)/),
    );
  });

  test('may go through a server of their own, which is looked at', async () => {
    const config = visitors({ through: { type: 'smtp', host: 'smtp.sendgrid.net' } });
    expect(await diagnose(examineMailDns, config, { zone })).toContainEqual(
      expect.stringMatching(/^failure relay@smtp\.sendgrid\.net: .* \(forms\.contact\.confirmation_mail\)/),
    );
  });

  test('of a domain without DMARC do not say so twice', async () => {
    const lines = await diagnose(examineMailDns, visitors(), { zone: ours({ MX: mx, TXT: allowing }) });
    expect(lines.filter((line) => line.includes('DMARC'))).toHaveLength(1);
  });
});

test('an email output may have a sender of its own', async () => {
  const config = formWith('[{type: email, from: "Firm <web@firm.example>", to: a@a.example, mapping: "*"}]');
  expect(await diagnose(examineMailDns, config, { zone: ours({ MX: mx }, reject) })).toEqual([
    'ok DMARC of firm.example: p=reject',
  ]);
  expect(await diagnose(examineMailDns, config.replace('web@firm.example', 'ann@gmail.com'))).toEqual([
    expect.stringMatching(/^failure ann@gmail\.com: .* -> Give the output a `from:` of your own domain/),
  ]);
});
