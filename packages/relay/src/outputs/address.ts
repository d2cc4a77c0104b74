import { type Finding, finding } from '../base/config_finding.ts';
import { optional } from '../schema/keys.ts';
import { httpUrl, variableName } from '../schema/kinds.ts';
import type { Scope } from '../schema/template/render.ts';
import { addressIn } from '../transports/http/address_in.ts';
import type { HttpMessage, HttpTarget } from '../transports/http/http_message.ts';

/** Where an HTTP output sends to: exactly one of the two. */
export const addressKeys = {
  url: optional(
    'Where to send it. Never templated. Exactly one of `url` and `url_env` is needed.',
    httpUrl(),
  ),
  url_env: optional(
    'The environment variable that holds the whole address, for one that is a secret itself, as those of chats are. ' +
      'It is read at each delivery and never shown.',
    variableName(),
  ),
};

/** `addressProblems`, as JSON Schema says it. */
export const addressJsonSchema = { oneOf: [{ required: ['url'] }, { required: ['url_env'] }] };

interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
}

export function addressProblems({ url, url_env }: Addressed): readonly Finding[] {
  if (url !== undefined && url_env !== undefined) return [finding('address_twice', ['url_env'])];
  return url === undefined && url_env === undefined ? [finding('key_missing', ['url'], { key: 'url' })] : [];
}

/** Of chats, whose addresses are secrets: what is missing is the key that keeps it one. */
export const chatAddressProblems = ({ url, url_env }: Addressed): readonly Finding[] =>
  url === undefined && url_env === undefined
    ? [finding('key_missing', ['url_env'], { key: 'url_env' })]
    : addressProblems({ url, url_env });

export const addressTarget = ({ url, url_env = '' }: Addressed): HttpTarget['address'] =>
  url ?? { env: url_env };

/** Throws a `ClientError` where the variable holds no address. */
export function addressOf(
  { url, url_env }: Addressed,
  { env }: Pick<Scope, 'env'>,
): Pick<HttpMessage, 'url' | 'addressFrom'> {
  return url ? { url } : addressIn(url_env ?? '', env);
}
