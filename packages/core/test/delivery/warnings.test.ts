import { expect, test } from 'vitest';
import { httpSink, reasons, relayWith, smtpSink } from '../../../../test/spec/stage.ts';
import type { SinkAnswer } from '../../../../test/support/http_sink.ts';

/** A relay that posts leads to a CRM which answers so, one answer a try. */
async function relayTo(...answers: SinkAnswer[]) {
  const crm = await httpSink({ answer: () => answers.shift() ?? {} });
  const relay = await relayWith({
    config: `forms: {lead: {fields: [{name: email}], outputs: [{type: crm_web2lead, url: "${crm.origin}", mapping: "*"}]}}`,
  });
  await relay.submit('lead', [['email', 'ada@example.org']]);
  return relay.logged.map(({ event }) => event).filter((event) => /^(retrying|deliver)/.test(event));
}

const rejected = { headers: { 'is-processed': 'Exception:common.exception.SalesforceGenericException' } };

test('a warning that only another try brings is in the log, too', async () => {
  expect(await relayTo({ status: 503 }, rejected)).toEqual(['retrying', 'delivery_warning']);
});

test('a warning of every try is said once', async () => {
  const { port, close } = await httpSink();
  await close();
  const mail = `{type: smtp, host: 127.0.0.1, port: ${port}, to: "owner@a.example, {{ .fields.to }}@a.example", reply_to: "{{ .fields.to }}@a.example", mapping: "*"}`;
  const relay = await relayWith({
    config: `forms: {contact: {fields: [{name: to}], outputs: [${mail}]}}`,
  });
  await relay.submit('contact', [['to', 'no body']]);
  const warnings = relay.logged.filter(({ event }) => event === 'delivery_warning');
  expect(relay.logged.map(({ event }) => event)).toContain('retrying');
  expect(warnings.length).toBeGreaterThan(0);
  expect(new Set(warnings.map(({ reason }) => reason)).size).toBe(warnings.length);
});

test('a text that is no address is left out of a mail, and reported once for all recipients', async () => {
  const { host, port, mails } = await smtpSink();
  const no = '{{ .fields.no }}@a.example';
  const mail = {
    ...{ type: 'smtp', host, port, mapping: '*', reply_to: no },
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

test('a refusal after a redirect says that it came from elsewhere, where no header went along', async () => {
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
