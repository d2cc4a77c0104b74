import { httpSink, type SinkAnswer } from '../../../test/support/index.ts';
import { account } from '../../clients/test/aws/aws.ts';
import { diagnose, formWith, like, rows, type Zone } from './stage.ts';

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

/** A fake SES that answers only these paths. */
async function ses(answers: Readonly<Record<string, SinkAnswer>>) {
  const sink = await httpSink({
    answer: ({ url }) => {
      const path = decodeURIComponent(url.replace('/v2/email', ''));
      return answers[path] ?? (path === '/account' ? json(production) : missing);
    },
  });
  return sink;
}

const named = (identity: object, name = 'firm.example') => ({ [`/identities/${name}`]: json(identity) });
const verified = { VerifiedForSendingStatus: true, DkimAttributes: signed };

test.each<[answer: SinkAnswer, expected: string]>([
  [json(production), 'ok SES account: has production access; 7 of 200 mails'],
  [
    json({ ...production, ProductionAccessEnabled: false }),
    'warning …is in the sandbox: … -> Request production',
  ],
  [json({ ...production, SendingEnabled: false }), 'failure SES account: sending is paused'],
  [refusal('AccessDeniedException'), 'warning …cannot be checked: … -> Allow ses:GetAccount'],
  [refusal('UnrecognizedClientException'), 'failure SES account: the AWS credentials are not accepted'],
])('an account that answers %j', async (answer, expected) => {
  const sink = await ses({ '/account': answer, ...named(verified) });
  expect((await look(sink.origin)).slice(0, 1)).toEqual(like(expected));
  expect(sink.requests.every(({ method }) => method === 'GET')).toBe(true);
});

const dmarc = (record: string): Zone => ({ '_dmarc.firm.example': { TXT: [record] } });
const unsigned = {
  VerifiedForSendingStatus: true,
  DkimAttributes: { SigningEnabled: false, Status: 'PENDING', Tokens: ['t1', 't2'] },
};

const bounce = { MailFromDomain: 'bounce.firm.example', MailFromDomainStatus: 'SUCCESS' };
const bare = {
  VerifiedForSendingStatus: true,
  DkimAttributes: { SigningEnabled: false, Status: 'NOT_STARTED' },
};
const published = { 't2._domainkey.firm.example': { CNAME: ['t2.dkim.amazonses.com'] } };
const rejecting = dmarc('v=DMARC1; p=reject');
const identities: Readonly<Record<string, [Readonly<Record<string, SinkAnswer>>, Zone?]>> = {
  'the domain, with DKIM': [named(verified, 'mail.firm.example')],
  'the domain above': [named(verified)],
  'the address alone, and DMARC rejects': [named(bare, 'web@mail.firm.example'), rejecting],
  'unsigned, and DMARC watches': [named(unsigned), { ...dmarc('v=DMARC1; p=none'), ...published }],
  'with a MAIL FROM domain of its own': [named({ ...unsigned, MailFromAttributes: bounce }), rejecting],
  unverified: [named({ VerifiedForSendingStatus: false, VerificationStatus: 'PENDING' })],
  unknown: [{}],
};

test.each(
  rows(`
    the domain, with DKIM | ok SES identity of web@mail.firm.example: mail.firm.example is verified | ok DKIM of mail.firm.example: SES signs as mail.firm.example
    the domain above | ok SES identity … firm.example is verified | ok DKIM of mail.firm.example: SES signs as firm.example
    the address alone, and DMARC rejects | ok SES identity | failure DKIM of mail.firm.example: …under p=reject receivers reject it -> Verify the domain mail.firm.example…Easy DKIM
    unsigned, and DMARC watches | ok | warning DKIM of mail.firm.example: SES does not sign…amazonses.com -> Publish the CNAME records …: t1._domainkey.firm.example.$
    with a MAIL FROM domain of its own | ok | warning DKIM …SPF aligns through bounce.firm.example
    unverified | failure SES identity …firm.example is not verified (PENDING): every mail is rejected (forms.contact.outputs[0]) -> Publish
    unknown | failure SES identity …neither the address nor mail.firm.example is an identity in this account and region
  `),
)('an identity that is %s', async (title, ...expected) => {
  const [answers = {}, zone = {}] = identities[title] ?? [];
  const sink = await ses(answers);
  const [, ...lines] = await look(sink.origin, {}, zone);
  expect(lines).toEqual(like(...expected));
  expect(sink.requests.map(({ url }) => url).toSorted()).toEqual([
    '/v2/email/account',
    '/v2/email/identities/firm.example',
    '/v2/email/identities/mail.firm.example',
    '/v2/email/identities/web%40mail.firm.example',
  ]);
});

test.each([
  [{ AWS_REGION: '', AWS_CONFIG_FILE: '/nowhere' }, 'no AWS region: set AWS_REGION'],
  [{ AWS_ENDPOINT_URL_SESV2: 'http://127.0.0.1:9' }, 'connect ECONNREFUSED'],
])('%j is a single failure', async (env, says) => {
  const lines = await look('http://127.0.0.1:9', env);
  expect(lines).toEqual(like(`failure Amazon SES: ${says} (forms.contact.outputs[0]) -> `));
});

test('each sender is a separate identity, and the account is only one', async () => {
  const sink = await ses({ ...named(verified), ...named(verified, 'other.example') });
  const config = formWith(
    '[{type: email, to: a@a.example, mapping: "*"}, {type: email, from: Other <web@other.example>, to: a@a.example, mapping: "*"}]',
  );
  const lines = await look(sink.origin, {}, {}, config);
  expect(lines.map((line) => line.replace(/: .*/, ''))).toEqual([
    ...['ok SES account', 'ok SES identity of web@mail.firm.example'],
    ...['ok SES identity of web@other.example', 'ok DKIM of mail.firm.example', 'ok DKIM of other.example'],
  ]);
});

test('without an email output, SES gets no request', async () => {
  const config = formWith('[{type: http_post, url: "https://a.example/", mapping: "*"}]');
  expect(await diagnose('Amazon SES', config, { env: { MAIL_FROM_ADDRESS: 'a@b.example' } })).toEqual([]);
});
