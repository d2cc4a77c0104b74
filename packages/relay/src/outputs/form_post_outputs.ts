import type { Finding } from '../base/config_finding.ts';
import type { Job } from '../base/job.ts';
import { writeUrlencoded } from '../bodies/urlencoded.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import type { HttpMessage } from '../transports/http/http_message.ts';
import type { OAuth2 } from '../transports/oauth2/grant.ts';
import { addressOf } from './address.ts';
import { contentTypeWarnings, headersKey, renderHeaders } from './headers.ts';

const urlencoded = 'application/x-www-form-urlencoded';

/** The keys of outputs that post urlencoded bodies. */
export const headers = headersKey(`\`Content-Type\` is always \`${urlencoded}\`.`);

interface FormPost {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
  readonly headers?: ReadonlyMap<string, Template> | undefined;
  readonly oauth2?: OAuth2 | undefined;
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
  };
}
