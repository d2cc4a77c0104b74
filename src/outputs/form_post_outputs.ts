import { type Finding, finding } from '../config_finding.ts';
import type { Job, Payload } from '../job.ts';
import type { Scope, Template } from '../template/render.ts';
import type { HttpMessage } from '../transports/http/http_message.ts';
import type { OAuth2 } from '../transports/oauth2/grant.ts';
import { addressOf } from './address.ts';
import { headersKey, renderHeaders } from './headers.ts';

/** The keys of outputs that post urlencoded bodies. */
export const headers = headersKey('`Content-Type` is always `application/x-www-form-urlencoded`.');

interface FormPost {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
  readonly headers?: ReadonlyMap<string, Template> | undefined;
  readonly oauth2?: OAuth2 | undefined;
}

export const contentTypeWarnings = ({ headers }: FormPost): readonly Finding[] =>
  [...(headers?.keys() ?? [])]
    .filter((name) => name.toLowerCase() === 'content-type')
    .map((name) => finding('header_without_effect', ['headers', name]));

export function postForm(output: FormPost, { id, payload }: Job, scope: Scope): HttpMessage {
  const { url, addressFrom } = addressOf(output, scope);
  return {
    via: 'http',
    url,
    addressFrom,
    id,
    contentType: 'application/x-www-form-urlencoded',
    body: encode(payload),
    headers: renderHeaders(output.headers, scope, 'content-type'),
    oauth2: output.oauth2?.grantOf(scope),
  };
}

function encode(payload: Payload): string {
  const body = new URLSearchParams();
  for (const [key, values] of payload) {
    for (const value of values) body.append(key, value);
  }
  return body.toString();
}
