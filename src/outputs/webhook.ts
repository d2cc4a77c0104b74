import { type Finding, finding } from '../config_finding.ts';
import type { HttpAnswer } from '../effects.ts';
import type { Job } from '../job.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { choice } from '../schema/kinds.ts';
import type { Scope } from '../template/render.ts';
import { httpTarget } from '../transports/http/http_message.ts';
import { addressJsonSchema, addressKeys, addressOf, addressProblems, addressTarget } from './address.ts';
import { checkAnswer, expect } from './expect.ts';
import { headersKey, renderHeaders } from './headers.ts';
import { bodySchema, fieldsIn, renderBody } from './json_body.ts';
import { JsonValues } from './json_value.ts';
import { lateOAuth2, oauth2Key, oauth2Problems } from './oauth2.ts';
import { type FormAbout, outputType } from './output.ts';
import type { PayloadPlan } from './payload.ts';
import { signingOf, signKey, signProblems } from './sign_keys.ts';

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
    ...oauth2Key,
    ...signKey,
    expect,
  },
  problems: (output) => [...addressProblems(output), ...oauth2Problems(output), ...signProblems(output)],
  lateKeys: [lateOAuth2],
  jsonSchema: addressJsonSchema,
  target: (output) => httpTarget(addressTarget(output), output.oauth2),
  message: (output, job, scope) => {
    const { url, addressFrom } = addressOf(output, scope);
    const { method, body, expect, form, plan } = output;
    return {
      via: 'http',
      method,
      url,
      addressFrom,
      id: job.id,
      contentType: 'application/json',
      body: body === undefined ? payloadAsJson(plan, job, scope, form) : renderBody(body, job, scope, form),
      headers: renderHeaders(output.headers, scope),
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
  warnings: ({ body, mapping, static: fixed }) =>
    body === undefined ? [] : withoutEffect({ mapping, static: fixed }),
  sendsOfItself: ({ body }) => body !== undefined,
  readsFields: ({ body }) => (body === undefined ? [] : fieldsIn(body, ['body'])),
});

const withoutEffect = (beside: Readonly<Record<string, unknown>>): readonly Finding[] =>
  Object.entries(beside)
    .filter(([, value]) => value !== undefined)
    .map(([key]) => ({ ...finding('key_without_effect_beside_body', [key], { key }), aboutKey: true }));

/** `mapping` and `static` as one object, by the rules of payload.ts, with values that keep their type. */
function payloadAsJson(
  plan: readonly PayloadPlan[],
  { values }: Job,
  scope: Scope,
  { fields }: FormAbout,
): string {
  const typed = new JsonValues(fields, values);
  // Without a prototype, `__proto__` is a name like any other.
  const object: Record<string, unknown> = Object.create(null);
  for (const { key, fieldName, fixed } of plan) {
    object[key] = fixed?.render(scope) || (fieldName === undefined ? undefined : typed.of(fieldName));
  }
  return JSON.stringify(object);
}
