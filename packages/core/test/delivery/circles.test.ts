/** Relays that post to themselves or to each other: a post that made three hops is rejected. */
import { httpSink, reasons, relayWith, type SinkAnswer, smtpSink } from '../../../../test/support/index.ts';

const type = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (origin: string, headers = {}) =>
  fetch(`${origin}/api/v1/submit/contact`, {
    method: 'POST',
    body: 'name=Ann',
    headers: { ...type, ...headers },
  });

const outputs = {
  http_post: 'type: http_post, mapping: "*"',
  crm_web2lead: 'type: crm_web2lead, mapping: "*"',
  'signed webhook': `type: webhook, mapping: "*", sign: {secret: '{{ env "SECRET" }}'}`,
};

/** A relay whose output posts to the address in NEXT. */
async function start(output: string, env: Record<string, string | undefined>, more = '') {
  const bodies = output.includes('webhook') ? ', bodies: [json]' : '';
  return relayWith({
    config: `forms: {contact: {fields: [{name: name}]${bodies}, outputs: [{${output}, url_env: NEXT}]${more}}}`,
    env,
    effects: { env: (name) => env[name] },
  });
}

const secret = `whsec_${Buffer.alloc(24, 'k').toString('base64')}`;
const looped = ({ logged }: Awaited<ReturnType<typeof start>>) =>
  logged.filter(
    ({ level, event, reason }) =>
      level === 'error' && event === 'submission' && /in a circle/.test(String(reason)),
  );

test.each(Object.entries(outputs))('two relays that post to each other stop (%s)', async (_, output) => {
  const [env, otherEnv]: Record<string, string>[] = [{ SECRET: secret }, { SECRET: secret }];
  const relay = await start(output, env ?? {});
  const other = await start(output, otherEnv ?? {});
  Object.assign(env ?? {}, { NEXT: `${other.origin}/api/v1/submit/contact` });
  Object.assign(otherEnv ?? {}, { NEXT: `${relay.origin}/api/v1/submit/contact` });
  expect((await post(relay.origin)).status).toBe(500);
  const submissions = [relay, other].flatMap(({ logged }) =>
    logged.filter(({ event }) => event === 'submission'),
  );
  expect(submissions.map(({ outcome }) => outcome).sort()).toEqual([
    'bad_request',
    'undelivered',
    'undelivered',
    'undelivered',
  ]);
  expect(looped(other)).toHaveLength(1);
});

test.each([307, 308])(
  'a loop by a %i back to the relay stops, under any name of the relay',
  async (status) => {
    for (const host of ['127.0.0.1', 'localhost']) {
      let location = '';
      const hop = await httpSink({ answer: () => ({ status, headers: { location } }) });
      const relay = await start(outputs.http_post, { NEXT: hop.origin });
      location = `${relay.origin.replace('127.0.0.1', host)}/api/v1/submit/contact`;
      expect((await post(relay.origin)).status).toBe(500);
      expect(hop.requests.map(({ headers }) => headers['form-relay-hops'])).toEqual(['1', '2', '3']);
    }
  },
);

test.each(['3', '4', '1, 3', '999'])('a post with a count of %s hops is rejected unread', async (hops) => {
  const sink = await httpSink();
  const relay = await start(outputs.http_post, { NEXT: sink.origin });
  const answer = await post(relay.origin, { 'form-relay-hops': hops, accept: 'application/problem+json' });
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'looped' }]);
  expect(sink.requests).toEqual([]);
  expect(looped(relay)).toHaveLength(1);
});

test('an owner’s header does not replace the count', async () => {
  const sink = await httpSink();
  const headers = ', headers: {Form-Relay-Hops: "0"}';
  const relay = await start(outputs.http_post + headers, { NEXT: sink.origin });
  await post(relay.origin, { 'form-relay-hops': '1' });
  expect(sink.requests.map((request) => request.headers['form-relay-hops'])).toEqual(['2']);
});

/** A relay that posts leads to a CRM, which sends one of these responses per attempt. */
async function relayTo(...answers: SinkAnswer[]) {
  const crm = await httpSink({ answer: () => answers.shift() ?? {} });
  const relay = await relayWith({
    config: `forms: {lead: {fields: [{name: email}], outputs: [{type: crm_web2lead, url: "${crm.origin}", mapping: "*"}]}}`,
  });
  await relay.submit('lead', [['email', 'ada@example.org']]);
  return relay.logged.map(({ event }) => event).filter((event) => /^(retrying|deliver)/.test(event));
}

const rejected = { headers: { 'is-processed': 'Exception:common.exception.SalesforceGenericException' } };

test('a warning of a later attempt is logged, too', async () =>
  expect(await relayTo({ status: 503 }, rejected)).toEqual(['retrying', 'delivery_warning']));

test('a warning that repeats in every attempt is logged once', async () => {
  const { port, close } = await httpSink();
  await close();
  const mail = `{type: smtp, host: 127.0.0.1, port: ${port}, to: "owner@a.example, {{ .fields.to }}@a.example", reply_to: "{{ .fields.to }}@a.example", mapping: "*"}`;
  const relay = await relayWith({ config: `forms: {contact: {fields: [{name: to}], outputs: [${mail}]}}` });
  await relay.submit('contact', [['to', 'no body']]);
  const warnings = relay.logged.filter(({ event }) => event === 'delivery_warning');
  expect(relay.logged.map(({ event }) => event)).toContain('retrying');
  expect(warnings.length).toBeGreaterThan(0);
  expect(new Set(warnings.map(({ reason }) => reason)).size).toBe(warnings.length);
});

test('a text that is not an address is omitted from a mail, and reported once for all recipients', async () => {
  const { host, port, mails } = await smtpSink();
  const no = '{{ .fields.no }}@a.example';
  const mail = {
    type: 'smtp',
    host,
    port,
    mapping: '*',
    reply_to: no,
    to: `owner@a.example, ${no}, Customer <${no}>, ${no}`,
  };
  const relay = await relayWith({
    config: JSON.stringify({ forms: { contact: { fields: [{ name: 'no' }], outputs: [mail] } } }),
  });
  expect((await relay.submit('contact', [['no', 'no body']])).status).toBe(200);
  expect(mails.map(({ envelope }) => envelope.to)).toEqual([['owner@a.example']]);
  const warned = relay.logged.filter(({ event }) => event === 'delivery_warning');
  expect(warned.map(({ reason }) => reason)).toEqual([
    'a part of `to` with a submitted value is not one address and was left out',
    '`reply_to` did not render to one address and was left out',
  ]);
});

test('a refusal after a redirect says that it came from another origin, which got no headers', async () => {
  const key = 'headers: {Authorization: "Bearer key"}';
  const moved = await httpSink({ answer: () => ({ status: 401 }) });
  const old = await httpSink({
    answer: () => ({ status: 308, headers: { location: `${moved.origin}/new` } }),
  });
  const near = await httpSink({
    answer: ({ url }) => (url === '/' ? { status: 308, headers: { location: '/new' } } : { status: 401 }),
  });
  const outputs = [old, near].map(
    ({ origin }) => `{type: http_post, url: "${origin}", ${key}, mapping: "*"}`,
  );
  const relay = await relayWith({
    config: `forms: {contact: {fields: [{name: email}], outputs: [${outputs}]}}`,
  });
  await relay.submit('contact', [['email', 'ada@example.org']]);
  expect(reasons(relay).toSorted()).toEqual([
    'the server answered 401',
    'the server answered 401 after a redirect to another origin',
  ]);
});
