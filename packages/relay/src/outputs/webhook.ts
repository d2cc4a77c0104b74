import { type Finding, finding } from '../base/config_finding.ts';
import { doubtNames } from '../base/doubt.ts';
import type { HttpAnswer } from '../base/effects.ts';
import type { Job } from '../base/job.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { choice } from '../schema/kinds.ts';
import type { Scope } from '../schema/template/render.ts';
import { type HttpMessage, httpTarget } from '../transports/http/http_message.ts';
import { addressJsonSchema, addressKeys, addressOf, addressProblems, addressTarget } from './address.ts';
import { checkAnswer, expect } from './expect.ts';
import { contentTypeWarnings, headersKey, renderHeaders } from './headers.ts';
import { type BodyNode, bodySchema, fieldsIn, holdsField, renderBody } from './json_body.ts';
import { type FileInJson, JsonValues } from './json_value.ts';
import { lateOAuth2, oauth2Key, oauth2Problems } from './oauth2.ts';
import { type FormAbout, type LateKey, outputType } from './output.ts';
import type { PayloadPlan } from './payload.ts';
import { signingOf, signKey, signProblems } from './sign_keys.ts';

let withFiles!: typeof import('./webhook_files.ts');

/** Most webhooks send no files. */
const lateFiles: LateKey = {
  name: 'files',
  load: async () => {
    withFiles = await import('./webhook_files.ts');
  },
};

export const webhook = outputType({
  type: 'webhook',
  summary:
    'Sends JSON: an object of `mapping` and `static`, or the `body` of your own. A 4xx or 5xx answer, or one that is not what `expect` says, is a failed delivery.',
  keys: {
    ...addressKeys,
    method: withDefault('POST', 'The request method.', choice(['POST', 'PUT', 'PATCH'])),
    headers: headersKey('`Content-Type` is `application/json` unless it stands here.'),
    body: optional(
      'The JSON to send, in place of `mapping` and `static`: a tree whose leaves may hold templates. `{$field: topics}` ' +
        'is a field’s value with its type, `$fields` all fields with their labels, `$submission` its id, form, time and page.',
      bodySchema,
    ),
    files: withDefault(
      'none',
      'How the files of the fields go along that `mapping` or `body` names. `base64`: in the JSON, as `content` beside ' +
        '`name`, `type` and `size`. `multipart`: as `multipart/form-data`, with the JSON in the part `payload` and each ' +
        'file in a part of its own, which the JSON names as `part`. `none`: only `name`, `type` and `size` are sent.',
      choice(['none', 'base64', 'multipart']),
    ),
    ...oauth2Key,
    ...signKey,
    expect,
  },
  problems: (output) => [...addressProblems(output), ...oauth2Problems(output), ...signProblems(output)],
  lateKeys: [lateOAuth2, lateFiles],
  jsonSchema: addressJsonSchema,
  target: (output) => httpTarget(addressTarget(output), output.oauth2),
  message: (output, job, scope) => {
    const { url, addressFrom } = addressOf(output, scope);
    const { method, expect, files } = output;
    return {
      via: 'http',
      method,
      url,
      addressFrom,
      id: job.id,
      trace: job.trace,
      ...contentOf(output, job, scope),
      headers: renderHeaders(output.headers, scope, job, files === 'multipart' ? 'content-type' : undefined),
      oauth2: output.oauth2?.grantOf(scope),
      signing: signingOf(output, scope),
      accepts: expect?.status,
      codeAt: expect?.code === '.' ? '' : expect?.code,
    };
  },
  verdict: ({ expect }, answer: HttpAnswer) => {
    if (expect) checkAnswer(expect, answer);
    return [];
  },
  warnings: ({ body, mapping, static: fixed, files, headers }) => [
    ...(body === undefined ? [] : withoutEffect({ mapping, static: fixed })),
    ...(files === 'multipart' ? contentTypeWarnings(headers, 'multipart/form-data') : []),
  ],
  sendsOfItself: ({ body }) => body !== undefined,
  readsFields: ({ body }) => (body === undefined ? [] : fieldsIn(body, ['body'])),
  takesFile: ({ files, body, mapping, static: fixed }, field) => {
    if (files === 'none') return false;
    if (body !== undefined) return holdsField(body, field);
    const keys = mapping === '*' ? [[field, field] as const] : [...(mapping ?? [])];
    return keys.some(([key, name]) => name === field && !fixed?.has(key));
  },
});

interface Sending {
  readonly body?: BodyNode | undefined;
  readonly files: 'none' | 'base64' | 'multipart';
  readonly form: FormAbout;
  readonly plan: readonly PayloadPlan[];
}

function contentOf({ body, files, form, plan }: Sending, job: Job, scope: Scope): Content {
  const render = (fileInJson?: FileInJson) =>
    body === undefined
      ? payloadAsJson(plan, job, scope, form, fileInJson)
      : renderBody(body, job, scope, form, fileInJson);
  if (files === 'multipart') return withFiles.asParts(render, job.id);
  if (files === 'base64' && job.files.size > 0) return withFiles.asBase64(render);
  return { contentType: 'application/json', body: JSON.stringify(render()) };
}

type Content = Pick<HttpMessage, 'contentType' | 'body' | 'streamed'>;

const withoutEffect = (beside: Readonly<Record<string, unknown>>): readonly Finding[] =>
  Object.entries(beside)
    .filter(([, value]) => value !== undefined)
    .map(([key]) => ({ ...finding('key_without_effect_beside_body', [key], { key }), aboutKey: true }));

/** `mapping` and `static` as one object, by the rules of payload.ts, with values that keep their type. */
function payloadAsJson(
  plan: readonly PayloadPlan[],
  job: Job,
  scope: Scope,
  { fields }: FormAbout,
  fileInJson?: FileInJson,
): object {
  const typed = new JsonValues(fields, job, fileInJson);
  // Without a prototype, `__proto__` is a name like any other.
  const object: Record<string, unknown> = Object.create(null);
  for (const { key, fieldName, fixed } of plan) {
    object[key] = fixed?.render(scope) || (fieldName === undefined ? undefined : typed.of(fieldName));
  }
  if (job.doubt !== undefined) object[doubtNames.tag] ??= job.doubt;
  return object;
}
