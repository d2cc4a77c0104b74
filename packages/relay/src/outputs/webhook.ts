import * as v from 'valibot';
import { failed } from '../base/client_error.ts';
import { doubtNames, waitingName } from '../base/doubt.ts';
import { type Job, pdfName } from '../base/job.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { optional, required, section, withDefault } from '../schema/keys.ts';
import { choice, list } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import { type HttpMessage, httpTarget } from '../transports/http/http_transport.ts';
import { readSecret } from '../transports/http/webhook_secret.ts';
import {
  acceptanceOf,
  addressJsonSchema,
  addressKeys,
  addressOf,
  addressProblems,
  addressTarget,
  contentTypeWarnings,
  expectKey,
  headersKey,
  judgeAnswer,
  judgesAnswer,
  oauth2Key,
  oauth2Problems,
  renderHeaders,
} from './http_outputs.ts';
import { type FormAbout, outputType, secretTemplate } from './output.ts';
import type { PayloadPlan } from './payload.ts';
import { pdfKey } from './pdf_outputs.ts';
import {
  asBase64,
  asParts,
  type BodyNode,
  bodySchema,
  type FileInJson,
  fieldsIn,
  holdsField,
  holdsPdf,
  JsonValues,
  namesField,
  renderBody,
} from './webhook_body.ts';

const secret = () => secretTemplate('HOOK_SECRET');
const [one, several] = [secret(), list(secret(), { least: 1 })];

/** Signs what an output sends. There is no empty block: whoever begins one means to sign. */
export const signKey = {
  sign: optional(
    'Signs each request as [Standard Webhooks](https://www.standardwebhooks.com) does, so that the receiver knows that ' +
      'it comes from here (docs/verifying.md).',
    section(
      {
        secret: required(
          'What to sign with, only as `{{ env "NAME" }}`: `relay webhook secret` prints one. While it changes, a list, ' +
            'the new one first: a receiver takes a request that either of them has signed.',
          v.pipe(
            v.lazy((input): Schema<Template | readonly Template[]> => (Array.isArray(input) ? several : one)),
            v.metadata({ jsonSchema: { title: 'template or list', type: ['string', 'array'], minItems: 1 } }),
          ),
        ),
      },
      `{secret: '{{ env "HOOK_SECRET" }}'}`,
    ),
  ),
};

export interface Signed {
  readonly sign?: { readonly secret: Template | readonly Template[] } | undefined;
}

/** Throws a `ClientError` for what is no secret: a request that nobody signed would be refused, or worse, taken. */
export function signingOf({ sign }: Signed, scope: Scope): HttpMessage['signing'] {
  if (!sign) return undefined;
  const { secret } = sign;
  if (!Array.isArray(secret)) return { secrets: [secretIn(secret as Template, 'sign.secret', scope)] };
  return { secrets: secret.map((one, index) => secretIn(one, `sign.secret[${index}]`, scope)) };
}

function secretIn(template: Template, key: string, scope: Scope): string {
  const rendered = template.render(scope);
  if (rendered === '') throw failed('rendered_empty', { key });
  readSecret(rendered, `\`${key}\``);
  return rendered;
}

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
    ...pdfKey,
    ...oauth2Key,
    ...signKey,
    ...expectKey,
  },
  problems: (output) => [...addressProblems(output), ...oauth2Problems(output), ...pdfProblems(output)],
  jsonSchema: addressJsonSchema,
  target: (output) => httpTarget(addressTarget(output), output.oauth2),
  message: (output, job, scope) => {
    const { url, addressFrom } = addressOf(output, scope);
    const { method, files } = output;
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
      ...acceptanceOf(output),
    };
  },
  verdict: judgeAnswer,
  judges: judgesAnswer,
  warnings: ({ body, mapping, static: fixed, files, headers }) => [
    ...(body === undefined ? [] : withoutEffect({ mapping, static: fixed })),
    ...(files === 'multipart' ? contentTypeWarnings(headers, 'multipart/form-data') : []),
  ],
  sendsOfItself: ({ body, pdf }) => pdf || body !== undefined,
  readsFields: ({ body }) => (body === undefined ? [] : fieldsIn(body, ['body'])),
  showsField: ({ body, mapping }, field) => {
    if (body !== undefined) return holdsField(body, field) || namesField(body, field);
    return mapping === '*' || [...(mapping?.values() ?? [])].includes(field);
  },
  takesFile: ({ files, body, mapping, static: fixed }, field) => {
    if (files === 'none') return false;
    if (body !== undefined) return holdsField(body, field);
    const keys = mapping === '*' ? [[field, field] as const] : [...(mapping ?? [])];
    return keys.some(([key, name]) => name === field && !fixed?.has(key));
  },
});

/** The PDF travels as files do, and a body of the owner's says where. */
function pdfProblems(output: { readonly pdf?: unknown; readonly files?: unknown; readonly body?: unknown }) {
  const { pdf, files, body } = output;
  const hasPlace = body !== undefined && holdsPdf(body as BodyNode);
  if (pdf !== true) return hasPlace ? [finding('pdf_in_body_alone', ['body'])] : [];
  return [
    ...(files === 'base64' || files === 'multipart' ? [] : [finding('pdf_without_files', ['pdf'])]),
    ...(body === undefined || hasPlace ? [] : [finding('pdf_without_place', ['body'])]),
  ];
}

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
  if (files === 'multipart') return asParts(render, job.id);
  if (files === 'base64' && (job.files.size > 0 || job.pdf)) return asBase64(render);
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
  if (job.isWaiting) object[waitingName] ??= true;
  if (job.pdf) object[pdfName] = typed.pdf;
  return object;
}
