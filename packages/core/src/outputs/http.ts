/** `http_post` and `crm_web2lead`: post the payload as a form. */
import { failed } from '@form-relay/base/client_error';
import { parseUrl, pathWithoutTokens } from '@form-relay/base/url';
import { writeUrlencoded } from '@form-relay/base/urlencoded';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import {
  having,
  httpUrl,
  neededVariable,
  optional,
  optionalBlock,
  record,
  template,
} from '@form-relay/schema/kinds';
import type { Template } from '@form-relay/schema/template';
import type { Services } from '../services.ts';
import { probeWith } from './delivery.ts';
import { type Delivery, outputType, type Transport } from './output.ts';
import { type FinalAnswer, sendAndThen, warningOf } from './request.ts';

export const addressKeys = {
  url: optional(
    'Address of the receiver. Never templated. Exactly one of `url` and `url_env` is needed.',
    httpUrl(),
  ),
  url_env: optional(
    'Environment variable with the address, for secret addresses such as those of chats. Read at each delivery and never shown.',
    neededVariable(),
  ),
};

export interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
}

/** Exactly one address, in the config or in the environment. */
export const addressJson = { oneOf: [having('url'), having('url_env')] };

/** @param wanted The key to name if both are missing. */
export function addressProblems(
  { url, url_env }: Addressed,
  at: Diagnostics,
  wanted: 'url' | 'url_env' = 'url',
): void {
  if (url !== undefined && url_env !== undefined)
    at.in('url_env').error('url already has the address; remove one of the two');
  const isWritten = at.in('url').written !== undefined || at.in('url_env').written !== undefined;
  if (!isWritten) at.in(wanted).error(`${wanted} is missing`, { code: 'key_missing' });
}

/** Throws a `ClientError` if the variable is not a URL. */
export function addressOf({ url, url_env: name = '' }: Addressed, { env }: Pick<Services, 'env'>): URL {
  if (url) return url;
  const written = env(name)?.trim();
  if (!written) throw failed('address_unset', { name });
  // URL parsers drop line breaks and tabs, so two addresses would become a wrong one.
  const found = /[\t\n\r]/.test(written) ? undefined : parseUrl(written);
  const isWeb = found?.protocol === 'https:' || found?.protocol === 'http:';
  if (!found || !isWeb || found.username !== '' || found.password !== '')
    throw failed('address_malformed', { name });
  return found;
}

/** Where an output sends its requests. `target` omits the query and other parts that may contain a key. */
export const destinationOf = (output: Addressed, services: Services) => {
  const { url, url_env } = output;
  const unknown = `the address in ${url_env}`;
  const target = url ? url.origin + pathWithoutTokens(url.pathname) : unknown;
  return {
    protocol: 'http',
    host: url?.host ?? unknown,
    target,
    probe: probeWith('http', { ...output, target }, services),
  } as const;
};

/** Headers that belong to the HTTP connection or to the body's framing. */
const connectionHeaders =
  /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

function headerProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'this is not a header name';
  return connectionHeaders.test(name) ? `${name} is set by HTTP and cannot be configured` : undefined;
}

export const headersKey = (note: string) =>
  optionalBlock(`Request headers (\`{X-Team: sales}\`). ${note}`, record(template(), headerProblem));

type Headers = ReadonlyMap<string, unknown>;

/** Header names that differ only by case are the same header, and only one value could be sent. */
export function headerTwice(headers: Headers | undefined, at: Diagnostics): void {
  const names = new Map<string, string>();
  for (const name of headers?.keys() ?? []) {
    const first = names.get(name.toLowerCase());
    if (first === undefined) names.set(name.toLowerCase(), name);
    else
      at.in('headers', name).error(`this header appears twice, also as ${first}; remove one`, {
        aboutKey: true,
      });
  }
}

/** Warns of an owner's header that the output sets itself. */
export function contentTypeWarning(headers: Headers | undefined, always: string, at: Diagnostics): void {
  for (const name of headers?.keys() ?? [])
    if (name.toLowerCase() === 'content-type')
      at.in('headers', name).warning(`this header has no effect: it is always ${always}`);
}

/**
 * The owner's headers and those of remarks, with names in lower case. `undefined` if there are none.
 *
 * @param without An owner's header that has no effect.
 */
export function renderHeaders(
  headers: ReadonlyMap<string, Template> | undefined,
  { templateContext, remarks, request }: Delivery,
  without?: string,
): Record<string, string> | undefined {
  if (!headers && !remarks && !request?.headers) return undefined;
  // Without a prototype, `__proto__` is an ordinary name.
  const all: Record<string, string> = Object.create(null);
  for (const { header, value } of remarks ?? []) if (header) all[header.toLowerCase()] = value;
  for (const [name, value] of headers ?? []) {
    const key = name.toLowerCase();
    if (key !== without) all[key] = headerValue(value.render(templateContext));
  }
  return Object.assign(all, request?.headers);
}

/** Control characters become spaces, so that no value can inject a header. Text beyond Latin-1 is sent as UTF-8 bytes. */
export function headerValue(text: string): string {
  const clean = text.replaceAll(/[\0-\x1f\x7f-\x9f]+/g, ' ').trim();
  return /[^\0-\xff]/.test(clean) ? Buffer.from(clean, 'utf8').toString('latin1') : clean;
}

const urlencoded = 'application/x-www-form-urlencoded';

interface Posting extends Addressed {
  readonly headers?: ReadonlyMap<string, Template> | undefined;
}

const opening =
  (warningAbout: (answer: FinalAnswer) => string | undefined) =>
  (output: Posting, { services }: { readonly services: Services }): Transport => ({
    send: (delivery, { timeoutMs }) => {
      const { tracing, accepts, judge, codeOf } = delivery.request ?? noParts;
      // Written out, because V8 spreads slowly.
      const request = {
        url: output.url ?? addressOf(output, services),
        id: delivery.id,
        contentType: urlencoded,
        body: writeUrlencoded(delivery.payload),
        headers: renderHeaders(output.headers, delivery, 'content-type'),
        tracing,
        accepts,
        judge,
        codeOf,
      };
      return sendAndThen(request, timeoutMs, services, warningAbout);
    },
    ...destinationOf(output, services),
  });

const noParts: NonNullable<Delivery['request']> = {};

const common = {
  keys: { ...addressKeys, headers: headersKey(`\`Content-Type\` is always \`${urlencoded}\`.`) },
  jsonSchema: addressJson,
  problems: (output: Partial<Posting>, at: Diagnostics) => {
    addressProblems(output, at);
    headerTwice(output.headers, at);
    contentTypeWarning(output.headers, urlencoded, at);
  },
};

export const httpOutputs = [
  outputType({
    ...common,
    type: 'http_post',
    summary:
      'Posts the payload as `application/x-www-form-urlencoded`. A response of 4xx or 5xx, or one that violates `expect`, fails the delivery.',
    open: opening(warningOf),
  }),
  outputType({
    ...common,
    type: 'crm_web2lead',
    summary: "Posts a lead to a CRM's lead-capture endpoint, as `http_post` does.",
    // Salesforce responds with 200 to leads that it drops; only this header shows it.
    open: opening((answer) =>
      answer.headers['is-processed']?.includes('Exception')
        ? 'the CRM answered that it rejected the lead (Is-Processed: Exception)'
        : warningOf(answer),
    ),
  }),
] as const;
