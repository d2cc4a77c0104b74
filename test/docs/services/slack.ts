import type { HttpRequest } from '../../../packages/core/src/services.ts';
import { answerOf } from '../../support/chat_suite.ts';
import type { SinkAnswer, SunkRequest } from '../../support/http_sink.ts';
import { slack as chat } from '../../support/slack.ts';
import type { Service } from './service.ts';

const said = ({ status = 200, body = '' }: SinkAnswer) => ({ status, headers: {}, body: String(body) });

const sunk = ({ method = 'POST', url, headers, body }: HttpRequest): SunkRequest => ({
  method,
  url: url.pathname + url.search,
  rawHeaders: Object.entries(headers).flat(),
  headers,
  bytes: Buffer.from(body),
  body,
});

/** The stub in test/support/slack.ts, which other tests use over real HTTP. */
export const slack: Service = {
  isAt: (url) => (url.host === 'hooks.slack.com' ? 'here' : undefined),
  refuse: (status, code) => said({ status, body: code }),
  take: (request) => {
    try {
      return said(answerOf(chat, sunk(request)));
    } catch {
      // Slack's rules apply to messages from its form.
      return said({ status: 400 });
    }
  },
};
