import { type Finding, finding } from '../base/config_finding.ts';
import { doubtHeader } from '../base/doubt.ts';
import type { Job } from '../base/job.ts';
import { optionalBlock } from '../schema/keys.ts';
import { mapOf, template } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';

/** Headers that belong to the HTTP connection or to the body's framing. */
const httpsOwn = /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const headerNameProblem = (name: string) => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return finding('header_name_malformed', []);
  return httpsOwn.test(name) ? finding('header_reserved', [], { name }) : undefined;
};

/** The owner's own headers. `note`: what there is to know about some of them. */
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
 * anything beyond as UTF-8 bytes (D13).
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
