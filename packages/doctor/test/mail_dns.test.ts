import { diagnose, formWith, like, type Records, rows, type Zone } from './stage.ts';

const heading = 'Senders: SPF, DKIM and DMARC';

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

const zones: Readonly<Record<string, Zone>> = {
  'all is well': ours({ MX: mx, TXT: allowing }, reject),
  'nothing is published': ours({ MX: mx }),
  'the server is not allowed, and DMARC rejects': ours({ MX: mx, TXT: ['v=spf1 mx -all'] }, reject),
  'SPF is broken': ours({ MX: mx, TXT: ['v=spf1 mx -all', 'v=spf1 -all'] }, reject),
  'the domain does not exist': {},
  'the domain takes no mail': ours({ MX: [''] }),
  'the DNS is in trouble': ours('SERVFAIL'),
};

test.each(
  rows(`
    all is well | ok SPF of firm.example: allows mail.host.example (192.0.2.1) | ok DMARC of firm.example: p=reject; SPF aligns
    nothing is published | warning SPF of firm.example: there is no record… -> Publish this DNS record, …: [firm.example TXT v=spf1 mx a:mail.host.example ~all]$ | warning DMARC of firm.example: there is no record… -> Start by publishing this …: [_dmarc.firm.example TXT v=DMARC1; p=none; rua=mailto:postmaster@firm.example]$
    the server is not allowed, and DMARC rejects | warning SPF of firm.example: does not seem to allow mail.host.example (fail … -> Replace the record … [firm.example TXT v=spf1 mx a:mail.host.example -all]$ | warning DMARC of firm.example: p=reject: unless mail.host.example signs with DKIM for firm.example, receivers reject it -> DKIM cannot be checked from here…Authentication-Results
    SPF is broken | failure SPF …2 SPF records… -> Keep only this … [firm.example TXT v=spf1 mx a:mail.host.example -all]$ | warning DMARC
    the domain does not exist | failure web@firm.example: firm.example has neither MX nor address
    the domain takes no mail | failure web@firm.example: …null MX
    the DNS is in trouble | warning firm.example: not checked: …ESERVFAIL
  `),
)('from one’s own domain: %s', async (title, ...expected) => {
  const stage = { zone: zones[title] ?? {} };
  expect(await diagnose(heading, smtp('mail.host.example', 'web@firm.example'), stage)).toEqual(
    like(...expected),
  );
});

test('a mailbox at a provider is fine through the provider’s server', async () => {
  const zone: Zone = {
    'gmail.com': { MX: ['gmail-smtp-in.l.google.com'], TXT: ['v=spf1 redirect=_spf.google.com'] },
    '_spf.google.com': { TXT: ['v=spf1 ip4:192.0.2.0/24 ~all'] },
    'smtp.gmail.com': { A: ['192.0.2.7'] },
    '_dmarc.gmail.com': { TXT: ['v=DMARC1; p=none; sp=quarantine'] },
  };
  expect(await diagnose(heading, smtp('smtp.gmail.com', 'ann@gmail.com'), { zone })).toEqual(
    like(
      /^ok SPF of gmail\.com: allows the servers of Google \(_spf/,
      /^ok DMARC of gmail\.com: p=none; SPF aligns/,
    ),
  );
});

test('the default sender of one’s own server has the server’s name as its domain', async () => {
  const zone: Zone = {
    'mail.firm.example': { A: ['192.0.2.1'], TXT: ['v=spf1 a -all'] },
    '_dmarc.firm.example': { TXT: [reject] },
  };
  expect(await diagnose(heading, smtp('mail.firm.example'), { zone })).toEqual(
    like(
      /^ok SPF of mail\.firm\.example: allows/,
      /^ok DMARC of mail\.firm\.example: p=reject, from firm\.example; SPF aligns/,
    ),
  );
});

const email = formWith('[{type: email, to: a@a.example, mapping: "*"}]');

test('through SES, the policy is reported; the check of the identity reports DKIM', async () => {
  const env = { MAIL_FROM_ADDRESS: 'Firm <web@Firm.example>' };
  expect(await diagnose(heading, email, { env, zone: ours({ MX: mx }, `${reject}; adkim=s`) })).toEqual([
    'ok DMARC of firm.example: p=reject, adkim=s',
  ]);
});

test('through SES with another sender', async () => {
  const env = { MAIL_FROM_ADDRESS: 'ann@outlook.com' };
  expect(await diagnose(heading, email, { env })).toEqual(
    like(
      /^failure ann@outlook\.com: only Microsoft may send .* through Amazon SES.* -> Set MAIL_FROM_ADDRESS/,
    ),
  );
});

describe('a missing record is shown for copying', () => {
  const google = { TXT: ['v=spf1 ip4:192.0.2.0/24 ~all'] };
  const many = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`i${index}.example`, { TXT: ['v=spf1 -all'] }]),
  );
  const ten = `v=spf1 ${Object.keys(many)
    .map((name) => `include:${name}`)
    .join(' ')} -all`;

  const records: Readonly<Record<string, Zone>> = {
    'a service says which servers are its own': { ...ours({ MX: mx }, reject), '_spf.google.com': google },
    'an include comes before the end of the record that is there': {
      ...ours({ MX: mx, TXT: ['v=spf1 mx ip4:192.0.2.9  -all'] }, reject),
      'spf.protection.outlook.com': google,
    },
    'a record that has it needs nothing, wherever the server is': {
      ...ours({ MX: mx, TXT: ['v=spf1 include:_spf.google.com -all'] }, reject),
      '_spf.google.com': google,
      'smtp.gmail.com': { A: ['198.51.100.1'] },
    },
    'no record that receivers do not read to its end': {
      ...ours({ MX: mx, TXT: [ten] }, reject),
      ...many,
      '_spf.google.com': google,
    },
    'two records are made one': ours(
      { MX: mx, TXT: ['v=spf1 mx -all', 'v=spf1 ip4:192.0.2.1 ~all'] },
      reject,
    ),
    'a server by its address': ours({ A: ['192.0.2.1'] }, reject),
    'a malformed record is corrected by hand': ours({ MX: mx, TXT: ['v=spf1 ipv4:1.2.3.4 -all'] }, reject),
  };

  test.each(
    rows(`
      a service says which servers are its own | smtp.gmail.com | warning SPF … [firm.example TXT v=spf1 include:_spf.google.com ~all]$ | warning DMARC
      an include comes before the end of the record that is there | smtp.office365.com | warning SPF … [firm.example TXT v=spf1 mx ip4:192.0.2.9 include:spf.protection.outlook.com -all]$ | warning DMARC
      a record that has it needs nothing, wherever the server is | smtp.gmail.com | ok SPF of firm.example: allows the servers of Google (_spf.google.com)$ | ok DMARC …SPF aligns
      no record that receivers do not read to its end | smtp.gmail.com | warning SPF … -> Ask the operator of smtp.gmail.com | warning DMARC
      two records are made one | smtp.zoho.eu | failure SPF … [firm.example TXT v=spf1 mx ip4:192.0.2.1 ~all]$ | warning DMARC
      a server by its address | 192.0.2.7 | warning SPF … [firm.example TXT v=spf1 ip4:192.0.2.7 ~all]$ | warning DMARC
      a malformed record is corrected by hand | mail.host.example | failure SPF … -> Correct the TXT record at firm.example | warning DMARC
    `),
  )('%s', async (title, host = '', ...expected) => {
    const lines = await diagnose(heading, smtp(host, 'web@firm.example'), { zone: records[title] ?? {} });
    expect(lines).toEqual(like(...expected));
    // Shows no record where there is nothing to paste.
    if (/Ask|Correct/.test(expected[0] ?? '')) expect(lines[0]).not.toContain('[firm.example');
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

  test('have their own sender, which is examined', async () => {
    const config = visitors({ from: 'Firm <hello@gmail.com>' });
    expect(await diagnose(heading, config, { zone })).toContainEqual(
      expect.stringMatching(
        /^failure hello@gmail\.com: only Google may send .* \(forms\.contact\.confirmation_mail\) -> Add a `from:`/,
      ),
    );
  });

  test('that confirm an address are examined, too', async () => {
    const config = JSON.parse(visitors());
    config.forms.contact.fields[0].required = true;
    config.forms.contact.double_opt_in = {
      to: 'email',
      subject: 'Is it you?',
      text: 'Click here.',
      from: 'hello@outlook.com',
    };
    expect(await diagnose(heading, JSON.stringify(config), { zone })).toContainEqual(
      expect.stringMatching(/^failure hello@outlook\.com: .* \(forms\.contact\.double_opt_in\)/),
    );
  });
});

const smtpMailLogins = (host: string, keys: object = {}) =>
  formWith(JSON.stringify([{ type: 'smtp', host, to: 'a@a.example', mapping: '*', ...keys }]));

const login = { username: '{{ env "SMTP_USERNAME" }}', password: '{{ env "SMTP_PASSWORD" }}' };
const shown = (username: string, password: string) => ({ SMTP_USERNAME: username, SMTP_PASSWORD: password });
const oauth2 = {
  grant: 'client_credentials',
  token_url: 'https://login.microsoftonline.com/x/oauth2/v2.0/token',
  client_id: 'x',
  client_secret: '{{ env "MS_CLIENT_SECRET" }}',
};

const microsoft = 'smtp.office365.com';
const workspace = 'smtp-relay.gmail.com';
const appPassword = shown('ann@gmail.com', 'abcd efgh ijkl mnop');
const wantsAppPassword = /^ok Gmail: requires your address as username, and an app password, or OAuth$/;
const wantsOauth =
  /^warning Microsoft 365: the server accepts passwords only if.* -> Microsoft 365 requires OAuth: see relay init --mail microsoft365/;
const hasOauth = /^ok Microsoft 365: requires the address of the mailbox as username, and OAuth$/;
const isEmpty =
  /^warning Fastmail: the username or the password is empty .* -> Fastmail requires .*an app password: /;
const noName =
  /^warning Google Workspace relay: without SMTP_EHLO_NAME, .*421 4\.7\.0.* -> Set SMTP_EHLO_NAME to one of your host names/;

/** The findings about logins. Other tests cover those about connections and tokens. */
const loginsOf = async (config: string, env: Readonly<Record<string, string>> = {}) =>
  (await diagnose('SMTP servers', config, { env })).filter(
    (line) => !/^failure ([\w.-]+:587|oauth2):/.test(line),
  );

test.each<[host: string, keys: object, env: Readonly<Record<string, string>>, RegExp]>([
  ['smtp.gmail.com', login, appPassword, wantsAppPassword],
  [microsoft, login, shown('ann@firm.example', 'hunter2'), wantsOauth],
  [microsoft, { username: 'ann@firm.example', auth: 'oauth2', oauth2 }, {}, hasOauth],
  ['smtp.eu.sendgrid.net', login, shown('apikey', 'SG.hunter2'), /^ok SendGrid/],
  ['smtp.fastmail.com', login, {}, isEmpty],
  ['ssl0.ovh.net', {}, {}, /^warning OVH: no username is set, and the server requires one/],
  [workspace, {}, { SMTP_EHLO_NAME: 'forms.firm.example' }, /^ok Google Workspace relay/],
  [workspace, {}, {}, noName],
])('a login at %s with %o and the variables %o', async (host, keys, env, expected) => {
  const lines = await loginsOf(smtpMailLogins(host, keys), env);
  expect(lines).toEqual(like(expected));
  expect(lines.join()).not.toMatch(/hunter2|wJalr|key-0/);
});

test.each([
  ...['firm-example.mail.protection.outlook.com', 'firm-example.k-v1.mx.microsoft', 'aspmx.l.google.com'],
  ...['alt1.aspmx.l.google.com', 'smtp.google.com'],
])('%s accepts mail for its own customers without a login', async (host) =>
  expect(await loginsOf(smtpMailLogins(host))).toEqual([]),
);

test('the doctor does not judge the login at one’s own server', async () =>
  expect(await loginsOf(smtpMailLogins('mail.firm.example'))).toEqual([]));
