import { describe, expect, test } from 'vitest';
import { httpSink } from '../../../test/spec/stage.ts';
import type { SinkAnswer } from '../../../test/support/http_sink.ts';
import { account } from '../../clients/test/aws/aws.ts';
import { diagnose, formWith, type Zone } from './stage.ts';

const email = formWith('[{type: email, to: a@a.example, mapping: "*"}]');

async function look(
  origin: string,
  env: Readonly<Record<string, string>> = {},
  zone: Zone = {},
  config = email,
) {
  const all = {
    ...account,
    AWS_ENDPOINT_URL_SESV2: origin,
    MAIL_FROM_ADDRESS: 'web@mail.firm.example',
    ...env,
  };
  const lines = await diagnose(/^(Amazon SES|Senders)/, config, { env: all, zone });
  return lines.filter((line) =>
    / (Amazon SES|SES account|SES identity|DKIM)\b/.test(line.split(': ')[0] ?? ''),
  );
}

const json = (body: object, status = 200): SinkAnswer => ({ status, body: JSON.stringify(body) });
const missing: SinkAnswer = { status: 404, headers: { 'x-amzn-errortype': 'NotFoundException' }, body: '{}' };
const refusal = (name: string): SinkAnswer => ({
  status: 403,
  headers: { 'x-amzn-errortype': `${name}:` },
  body: '{}',
});
const production = {
  SendingEnabled: true,
  ProductionAccessEnabled: true,
  SendQuota: { Max24HourSend: 200, SentLast24Hours: 7 },
};
const signed = { SigningEnabled: true, Status: 'SUCCESS' };

/** An SES of our own making that answers these paths, and no others. */
async function ses(answers: Readonly<Record<string, SinkAnswer>>) {
  const sink = await httpSink({
    answer: ({ url }) => {
      const path = decodeURIComponent(url.replace('/v2/email', ''));
      return answers[path] ?? (path === '/account' ? json(production) : missing);
    },
  });
  return sink;
}

describe('the account', () => {
  const verified = json({ VerifiedForSendingStatus: true, DkimAttributes: signed });
  test.each<[string, SinkAnswer, RegExp]>([
    ['is in production', json(production), /^ok SES account: has production access; 7 of 200 mails/],
    [
      'is in the sandbox',
      json({ ...production, ProductionAccessEnabled: false }),
      /^warning SES account: is in the sandbox: .* -> Request production/,
    ],
    ['is paused', json({ ...production, SendingEnabled: false }), /^failure SES account: sending is paused/],
    [
      'may not be looked at',
      refusal('AccessDeniedException'),
      /^warning SES account: cannot be looked at: .* -> Allow ses:GetAccount/,
    ],
    [
      'is another',
      refusal('UnrecognizedClientException'),
      /^failure SES account: the AWS credentials are not accepted/,
    ],
  ])('%s', async (_, answer, expected) => {
    const sink = await ses({ '/account': answer, '/identities/firm.example': verified });
    const [line] = await look(sink.origin);
    expect(line).toMatch(expected);
    expect(sink.requests.every(({ method }) => method === 'GET')).toBe(true);
  });
});

const dmarc = (record: string): Zone => ({ '_dmarc.firm.example': { TXT: [record] } });
const unsigned = {
  VerifiedForSendingStatus: true,
  DkimAttributes: { SigningEnabled: false, Status: 'PENDING', Tokens: ['t1', 't2'] },
};

test.each<[string, Readonly<Record<string, SinkAnswer>>, Zone, readonly RegExp[]]>([
  [
    'is the domain, with DKIM',
    { '/identities/mail.firm.example': json({ VerifiedForSendingStatus: true, DkimAttributes: signed }) },
    {},
    [
      /^ok SES identity of web@mail\.firm\.example: mail\.firm\.example is verified/,
      /^ok DKIM of mail\.firm\.example: SES signs as mail\.firm\.example/,
    ],
  ],
  [
    'is the domain above',
    { '/identities/firm.example': json({ VerifiedForSendingStatus: true, DkimAttributes: signed }) },
    {},
    [
      /^ok SES identity .* firm\.example is verified/,
      /^ok DKIM of mail\.firm\.example: SES signs as firm\.example/,
    ],
  ],
  [
    'is the address alone, and DMARC rejects',
    {
      '/identities/web@mail.firm.example': json({
        VerifiedForSendingStatus: true,
        DkimAttributes: { SigningEnabled: false, Status: 'NOT_STARTED' },
      }),
    },
    dmarc('v=DMARC1; p=reject'),
    [
      /^ok SES identity/,
      /^failure DKIM of mail\.firm\.example: .*under p=reject receivers reject it -> Verify the domain mail\.firm\.example.*Easy DKIM/,
    ],
  ],
  [
    'does not sign yet, and DMARC watches',
    { '/identities/firm.example': json(unsigned) },
    { ...dmarc('v=DMARC1; p=none'), 't2._domainkey.firm.example': { CNAME: ['t2.dkim.amazonses.com'] } },
    [
      /^ok /,
      /^warning DKIM of mail\.firm\.example: SES does not sign.*amazonses\.com -> Publish the CNAME records .*: t1\._domainkey\.firm\.example\.$/,
    ],
  ],
  [
    'has a MAIL FROM domain of its own',
    {
      '/identities/firm.example': json({
        ...unsigned,
        MailFromAttributes: { MailFromDomain: 'bounce.firm.example', MailFromDomainStatus: 'SUCCESS' },
      }),
    },
    dmarc('v=DMARC1; p=reject'),
    [/^ok /, /^warning DKIM .*SPF aligns through bounce\.firm\.example/],
  ],
  [
    'waits for its verification',
    {
      '/identities/firm.example': json({ VerifiedForSendingStatus: false, VerificationStatus: 'PENDING' }),
    },
    {},
    [
      /^failure SES identity .*firm\.example is not verified \(PENDING\): every mail is refused \(forms\.contact\.outputs\[0\]\) -> Publish /,
    ],
  ],
  [
    'is unknown',
    {},
    {},
    [
      /^failure SES identity .*neither the address nor mail\.firm\.example is an identity in this account and region/,
    ],
  ],
])('the identity: %s', async (_, answers, zone, expected) => {
  const sink = await ses(answers);
  const [, ...lines] = await look(sink.origin, {}, zone);
  expect(lines).toEqual(expected.map((one) => expect.stringMatching(one)));
  expect(sink.requests.map(({ url }) => url).toSorted()).toEqual([
    '/v2/email/account',
    '/v2/email/identities/firm.example',
    '/v2/email/identities/mail.firm.example',
    '/v2/email/identities/web%40mail.firm.example',
  ]);
});

test.each([
  [
    'no region',
    { AWS_REGION: '', AWS_CONFIG_FILE: '/nowhere' },
    /^failure Amazon SES: no AWS region: set AWS_REGION \(forms\.contact\.outputs\[0\]\) -> /,
  ],
  [
    'no SES',
    { AWS_ENDPOINT_URL_SESV2: 'http://127.0.0.1:9' },
    /^failure Amazon SES: connect ECONNREFUSED \(forms\.contact\.outputs\[0\]\) -> /,
  ],
])('%s is one failure', async (_, env, expected) => {
  expect(await look('http://127.0.0.1:9', env)).toEqual([expect.stringMatching(expected)]);
});

test('each sender is an identity of its own, and the account is one', async () => {
  const verified = json({ VerifiedForSendingStatus: true, DkimAttributes: signed });
  const sink = await ses({ '/identities/firm.example': verified, '/identities/other.example': verified });
  const config = formWith(
    '[{type: email, to: a@a.example, mapping: "*"}, {type: email, from: Other <web@other.example>, to: a@a.example, mapping: "*"}]',
  );
  const lines = await look(sink.origin, {}, {}, config);
  expect(lines.map((line) => line.replace(/: .*/, ''))).toEqual([
    'ok SES account',
    'ok SES identity of web@mail.firm.example',
    'ok SES identity of web@other.example',
    'ok DKIM of mail.firm.example',
    'ok DKIM of other.example',
  ]);
});

test('without an email output nobody asks', async () => {
  const config = formWith('[{type: http_post, url: "https://a.example/", mapping: "*"}]');
  expect(await diagnose('Amazon SES', config, { env: { MAIL_FROM_ADDRESS: 'a@b.example' } })).toEqual([]);
});
