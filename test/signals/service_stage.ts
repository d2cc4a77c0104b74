/** A relay with one form whose signals ask a service, and a server that is the service. */

import type { RelayResponse } from '../../packages/core/src/http/request.ts';
import type { Services } from '../../packages/core/src/services.ts';
import { signalTypes } from '../../packages/spam/src/signals/index.ts';
import { httpSink, relayWith } from '../spec/stage.ts';
import type { SinkAnswer, SunkRequest } from '../support/http_sink.ts';

export const env = { AKISMET_KEY: 'akismet-secret-key' };

/** What looks by itself is off here. */
const noOthers = signalTypes
  .filter(({ isDefault }) => isDefault)
  .map(({ name }) => `${name}: 0`)
  .join(', ');

interface Staged {
  /** What is written under `signals`; `$service` is the service's address. */
  readonly signals: string;
  /** What becomes of whom a signal speaks against. */
  readonly action?: 'drop' | 'challenge';
  readonly answer?: (request: SunkRequest) => SinkAnswer | Promise<SinkAnswer>;
  readonly effects?: Partial<Services>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A relay with one form that drops what any signal speaks against, and a server that is the service. */
export async function stage({
  signals,
  action = 'drop',
  answer = () => ({}),
  effects = {},
  env: own = env,
}: Staged) {
  const service = await httpSink({ answer });
  const outputs = await httpSink();
  const relay = await relayWith({
    env: own,
    effects,
    config: `
forms:
  contact:
    language: de
    fields:
      - {name: name, required: true}
      - {name: email, type: email}
      - {name: phone, type: tel}
      - {name: website, type: url}
      - {name: message, type: textarea}
    spam: {doubt: {${action}: 0.1}, signals: {${noOthers}, ${signals.replaceAll('$service', service.origin)}}}
    outputs: [{type: http_post, url: "${outputs.origin}/", mapping: "*"}]`,
  });
  /** From an address of the internet, which a test's own connection has not. */
  const send = (
    more: Readonly<Record<string, string>> = {},
    address = '203.0.113.9',
  ): Promise<RelayResponse> =>
    relay.relay.handle({
      method: 'POST',
      path: '/api/v1/submit/contact',
      query: '',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'Mozilla/5.0 (test)',
        referer: 'https://www.example.com/contact',
      },
      body: Buffer.from(
        new URLSearchParams({
          name: 'Anna Muster',
          email: 'Anna@Example.org',
          phone: '+49 30 123456',
          message: 'Grüße – buy now',
          ...more,
        }).toString(),
      ),
      senderAddress: address,
    });
  /** How each submission ended. */
  const endings = () =>
    relay.logged
      .filter(({ event }) => event === 'submission')
      .map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`));
  const silences = () => relay.logged.filter(({ event }) => event === 'service_silent');
  return { relay, service, outputs, send, endings, silences };
}

export const json = (value: unknown): SinkAnswer => ({ body: JSON.stringify(value) });
