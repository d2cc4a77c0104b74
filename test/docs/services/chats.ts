import type { HttpRequest } from '../../../packages/core/src/services.ts';
import { chatServices } from '../../support/chats/index.ts';
import type { SinkAnswer, SunkRequest } from '../../support/http_sink.ts';
import type { Service } from './service.ts';

/** The stand-ins of test/support/chats, which speak real HTTP elsewhere. */
const placeholder = (type: string) => {
  const found = chatServices.find((one) => one.type === type);
  if (!found) throw new Error(`no stand-in for ${type}`);
  return found;
};

interface Chat {
  readonly host: string;
  /** Its answer when it takes nothing. */
  readonly refusal: (status: number, code: string) => unknown;
  /** What its stand-in wants to be called by, where a page shows something simpler. */
  readonly path?: (path: string) => string;
}

function chat(type: string, { host, refusal, path = (same) => same }: Chat): Service {
  const refuse = (status: number, code: string) => answerOf({ status, body: textOf(refusal(status, code)) });
  return {
    isAt: (url) => (url.host === host ? 'here' : undefined),
    refuse,
    take: (request) => {
      try {
        return answerOf(placeholder(type).answer(sunk(request, path)));
      } catch {
        // Its rules are for messages of its form.
        return refuse(400, '');
      }
    },
  };
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

const answerOf = ({ status = 200, body = '' }: SinkAnswer) => ({ status, headers: {}, body: String(body) });

const sunk = (
  { method = 'POST', url, headers, body }: HttpRequest,
  path: NonNullable<Chat['path']>,
): SunkRequest => ({
  method,
  url: path(url.pathname + url.search),
  rawHeaders: Object.entries(headers).flat(),
  headers,
  bytes: Buffer.from(body),
  body,
});

export const slack = chat('slack', { host: 'hooks.slack.com', refusal: (_, code) => code });

export const discord = chat('discord', {
  host: 'discord.com',
  path: (path) => path.replace('?', '?thread_id=7&'),
  refusal: (_, code) => ({ message: 'Ada', ...(code !== '' && { code: Number(code) }) }),
});

export const teams = chat('teams', {
  host: 'prod-01.westeurope.logic.azure.com',
  refusal: (_, code) => (code === '' ? 'Ada' : { error: { code, message: 'Ada' } }),
});
