/** A confirmation link from a function, which stores nothing between requests. */
import { decodeMail, httpSink, smtpSink } from '../../../test/support/index.ts';
import { apiGatewayEvent, type EventOptions, functionUrlEvent } from '../../../test/support/lambda_events.ts';
import { startLambda } from '../../../test/support/lambda_runtime.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const publicUrl = 'https://abc.execute-api.eu-central-1.amazonaws.com';

async function startFunction(started = 1) {
  const smtp = await smtpSink();
  const list = await httpSink();
  const config = `forms: {news: {
    fields: [{name: email, type: email, required: true}],
    outputs: [{type: http_post, url: "${list.origin}", mapping: "*"}],
    double_opt_in: {to: email, subject: Confirm, text: Click., from: news@acme.example, through: {type: smtp, host: 127.0.0.1, port: ${smtp.port}}}}}`;
  const env = { CONFIG_INLINE: config, FORM_TOKEN_SECRET: '3d1d0f6dd1f34c2b8a5e', PUBLIC_URL: publicUrl };
  const functions = await Promise.all(Array.from({ length: started }, () => startLambda({ env })));
  for (const { close } of functions) onTestFinished(close);
  return { smtp, list, functions };
}

const subscription = (target = '/api/v1/submit/news'): EventOptions => ({
  method: 'POST',
  target,
  headers: { ...form, host: new URL(publicUrl).host },
  body: Buffer.from('email=ada%40visitor.example'),
});

test('a copy sends the link, below the API’s stage, and another delivers what the link carries', async () => {
  const { smtp, list, functions } = await startFunction(2);
  const [first, second] = functions;
  expect((await first?.invoke(apiGatewayEvent(subscription(), 'prod')))?.result.statusCode).toBe(200);
  expect(list.requests).toHaveLength(0);
  const { text } = decodeMail(smtp.mails[0]?.raw ?? '');
  const link = new URL(/https:\S+/.exec(text)?.[0] ?? '');
  expect(link.origin + link.pathname).toBe(`${publicUrl}/prod/api/v1/confirm/news`);
  const target = link.pathname.replace('/prod', '') + link.search;
  const host = { host: link.host };
  const page = await second?.invoke(apiGatewayEvent({ method: 'GET', target, headers: host }, 'prod'));
  expect(page?.result.statusCode).toBe(200);
  expect(page?.result.body).toContain('action="/prod/api/v1/confirm/news"');
  const body = Buffer.from(link.search.slice(1));
  const click: EventOptions = {
    method: 'POST',
    target: '/api/v1/confirm/news',
    headers: { ...form, ...host },
    body,
  };
  const clicked = await second?.invoke(apiGatewayEvent(click, 'prod'));
  expect([clicked?.result.statusCode, list.requests.length]).toEqual([303, 1]);
  const again = await first?.invoke(apiGatewayEvent(click, 'prod'));
  expect([again?.result.statusCode, list.requests.length]).toEqual([303, 2]);
  const [one, other] = list.requests.map(({ headers }) => headers['idempotency-key']);
  expect(one).toBe(other);
});

test.each([
  ['a function URL', functionUrlEvent, '/You-have-won-Please-call-555-123456'],
  ['a function URL, in short', functionUrlEvent, '/acme-is-a-scam'],
  ['an API without a stage of its own', apiGatewayEvent, '/acme-is-a-scam'],
])('no words that a stranger puts before the path of %s appear in the link', async (_, event, before) => {
  const { smtp, functions } = await startFunction();
  const answer = await functions[0]?.invoke(event(subscription(`${before}/api/v1/submit/news`)));
  expect(answer?.result.statusCode).toBe(500);
  expect(smtp.mails).toHaveLength(0);
});
