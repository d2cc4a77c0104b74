import { doubtHeader } from '../base/doubt.ts';
import type { HttpAnswer } from '../base/effects.ts';
import type { Job } from '../base/job.ts';
import { late } from '../base/late.ts';
import { writeUrlencoded } from '../bodies/urlencoded.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { lateSchema, optional, optionalBlock } from '../schema/keys.ts';
import { httpUrl, mapOf, template, variableName } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import { addressIn, type HttpMessage, type HttpTarget } from '../transports/http/http_transport.ts';
import type { OAuth2 } from '../transports/oauth2/token_request.ts';
import type { Expect } from './expect.ts';

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

export const addressJsonSchema = { oneOf: [{ required: ['url'] }, { required: ['url_env'] }] };

export interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
}

export function addressProblems({ url, url_env }: Addressed): readonly Finding[] {
  if (url !== undefined && url_env !== undefined) return [finding('address_twice', ['url_env'])];
  return url === undefined && url_env === undefined ? [finding('key_missing', ['url'], { key: 'url' })] : [];
}

/** For chats, whose addresses are secrets: names the key that keeps them secret. */
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

/** Headers that belong to the HTTP connection or to the body's framing. */
const httpsOwn = /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headerNameProblem = (name: string, earlier: ReadonlyMap<string, unknown>) => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return finding('header_name_malformed', []);
  if (httpsOwn.test(name)) return finding('header_reserved', [], { name });
  // They are one header, of which only one value could be sent.
  const first = [...earlier.keys()].find((other) => other.toLowerCase() === name.toLowerCase());
  return first === undefined ? undefined : finding('header_twice', [], { first });
};

export const headersKey = (note: string) =>
  optionalBlock(`Request headers and their values. ${note}`, mapOf(template(), headerNameProblem));

/** Names in lower case, and what a submission says that was tagged. `without`: one of these that has no effect. */
export function renderHeaders(
  headers: ReadonlyMap<string, Template> | undefined,
  scope: Scope,
  { doubt }: Pick<Job, 'doubt'>,
  without?: string,
): Readonly<Record<string, string>> | undefined {
  if (!headers && doubt === undefined) return undefined;
  // Without a prototype, `__proto__` is a name like any other.
  const rendered: Record<string, string> = Object.create(null);
  if (doubt !== undefined) rendered[doubtHeader.toLowerCase()] = doubt;
  for (const [name, value] of headers ?? []) {
    const key = name.toLowerCase();
    if (key !== without) rendered[key] = headerValue(value.render(scope));
  }
  return rendered;
}

/**
 * Controls become spaces, so that no value can start a header of its own. One byte a character: Latin-1 as it is,
 * anything beyond as UTF-8 bytes.
 */
function headerValue(text: string): string {
  const clean = text.replaceAll(/[\0-\x1f\x7f-\x9f]+/g, ' ').trim();
  return /[^\0-\xff]/.test(clean) ? Buffer.from(clean, 'utf8').toString('latin1') : clean;
}

/** Headers of one's own in the place of `content-type`, where that is always the same. */
export const contentTypeWarnings = (
  headers: ReadonlyMap<string, unknown> | undefined,
  always: string,
): readonly Finding[] =>
  [...(headers?.keys() ?? [])]
    .filter((name) => name.toLowerCase() === 'content-type')
    .map((name) => finding('header_without_effect', ['headers', name], { always }));

const urlencoded = 'application/x-www-form-urlencoded';

export const headers = headersKey(`\`Content-Type\` is always \`${urlencoded}\`.`);

interface FormPost {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
  readonly headers?: ReadonlyMap<string, Template> | undefined;
  readonly oauth2?: OAuth2 | undefined;
  readonly expect?: Expect | undefined;
}

export const ownContentType = ({ headers }: FormPost): readonly Finding[] =>
  contentTypeWarnings(headers, urlencoded);

export function postForm(output: FormPost, job: Job, scope: Scope): HttpMessage {
  const { url, addressFrom } = addressOf(output, scope);
  return {
    via: 'http',
    url,
    addressFrom,
    id: job.id,
    trace: job.trace,
    contentType: urlencoded,
    body: writeUrlencoded(job.payload),
    headers: renderHeaders(output.headers, scope, job, 'content-type'),
    oauth2: output.oauth2?.grantOf(scope),
    ...acceptanceOf(output),
  };
}

export const lateExpect = late(() => import('./expect.ts'), 'expect');

interface Expecting {
  readonly expect?: Expect | undefined;
}

export const expectKey = {
  expect: optionalBlock(
    'What the answer must be for the delivery to count. Of an answer, the first 64 KB are read.',
    lateSchema(lateExpect, ({ expectSchema }): Schema<Expect> => expectSchema),
  ),
};

export const acceptanceOf = ({ expect }: Expecting): Pick<HttpMessage, 'accepts' | 'codeAt'> => ({
  accepts: expect?.status,
  codeAt: expect?.code === '.' ? '' : expect?.code,
});

/** Throws a `ClientError` when the answer is not what was expected. */
export function judgeAnswer({ expect }: Expecting, answer: HttpAnswer): [] {
  if (expect) lateExpect.loaded.checkAnswer(expect, answer);
  return [];
}

export const judgesAnswer = ({ expect }: Expecting): boolean => expect !== undefined;

export const lateOAuth2 = late(() => import('./oauth2.ts'), 'oauth2');

export const oauth2 = lateSchema(lateOAuth2, ({ oauth2Schema }) => oauth2Schema);

/** The key of every output that goes over HTTP. There is no empty block: whoever begins one means to use it. */
export const oauth2Key = {
  oauth2: optional(
    'Asks an authorization server for an access token, and sends it as `Authorization: Bearer …`.',
    oauth2,
  ),
};

interface OAuth2Sender {
  readonly oauth2?: OAuth2 | undefined;
  readonly headers?: unknown;
}

/** Both a token and a header of the owner's own would be sent under one name. */
export const oauth2Problems = ({ oauth2, headers }: OAuth2Sender): readonly Finding[] =>
  // Headers that are wrong are still as they were written.
  [...(oauth2 && headers instanceof Map ? headers.keys() : [])]
    .filter((name) => name.toLowerCase() === 'authorization')
    .map((name) => ({ ...finding('oauth2_with_authorization', ['headers', name]), aboutKey: true }));
