import type { HttpRequest } from '../../../packages/core/src/services.ts';
import type { SinkAnswer, SunkRequest } from '../../support/http_sink.ts';
import { slack as placeholder } from '../../support/slack.ts';
import type { Service } from './service.ts';

const answerOf = ({ status = 200, body = '' }: SinkAnswer) => ({ status, headers: {}, body: String(body) });

const sunk = ({ method = 'POST', url, headers, body }: HttpRequest): SunkRequest => ({
  method,
  url: url.pathname + url.search,
  rawHeaders: Object.entries(headers).flat(),
  headers,
  bytes: Buffer.from(body),
  body,
});

/** The stand-in of test/support/slack.ts, which speaks real HTTP elsewhere. */
export const slack: Service = {
  isAt: (url) => (url.host === 'hooks.slack.com' ? 'here' : undefined),
  refuse: (status, code) => answerOf({ status, body: code }),
  take: (request) => {
    try {
      return answerOf(placeholder.answer(sunk(request)));
    } catch {
      // Slack's rules are for messages of its form.
      return answerOf({ status: 400 });
    }
  },
};
