import { type Finding, finding } from '../config_finding.ts';
import type { Job, Payload } from '../job.ts';
import { optionalBlock } from '../schema/keys.ts';
import { mapOf, template } from '../schema/kinds.ts';
import type { Scope, Template } from '../template/render.ts';
import type { HttpMessage } from '../transports/http/http_message.ts';

/** Headers that belong to the HTTP connection or to the body's framing. */
const httpsOwn = /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headerNameProblem = (name: string) => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return finding('header_name_malformed', []);
  return httpsOwn.test(name) ? finding('header_reserved', [], { name }) : undefined;
};

/** The keys of outputs that post urlencoded bodies. */
export const headers = optionalBlock(
  'Request headers and their values. `Content-Type` is always `application/x-www-form-urlencoded`.',
  mapOf(template(), headerNameProblem),
);

interface FormPost {
  readonly url: URL;
  readonly headers?: ReadonlyMap<string, Template> | undefined;
}

export const contentTypeWarnings = ({ headers }: FormPost): readonly Finding[] =>
  [...(headers?.keys() ?? [])]
    .filter((name) => name.toLowerCase() === 'content-type')
    .map((name) => finding('header_without_effect', ['headers', name]));

export const postForm = ({ url, headers }: FormPost, { id, payload }: Job, scope: Scope): HttpMessage => ({
  via: 'http',
  url,
  id,
  contentType: 'application/x-www-form-urlencoded',
  body: encode(payload),
  headers: headers && renderHeaders(headers, scope),
});

function renderHeaders(
  headers: ReadonlyMap<string, Template>,
  scope: Scope,
): Readonly<Record<string, string>> {
  // Without a prototype, `__proto__` is a name like any other.
  const rendered: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (key !== 'content-type') rendered[key] = headerValue(value.render(scope));
  }
  return rendered;
}

/**
 * Controls become spaces, so that no value can start a header of its own. One byte a character: Latin-1 as it is,
 * anything beyond as UTF-8 bytes (D13).
 */
function headerValue(text: string): string {
  const clean = text.replaceAll(/[\0-\x1f\x7f-\x9f]+/g, ' ').trim();
  return /[^\0-\xff]/.test(clean) ? Buffer.from(clean, 'utf8').toString('latin1') : clean;
}

function encode(payload: Payload): string {
  const body = new URLSearchParams();
  for (const [key, values] of payload) {
    for (const value of values) body.append(key, value);
  }
  return body.toString();
}
