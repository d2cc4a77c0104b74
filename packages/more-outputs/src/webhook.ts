import { ClientError } from '@form-relay/base/client_error';
import { type Finding, failure, groupBy, ok, places } from '@form-relay/base/finding';
import { readSecret, signStreamed, signWebhook } from '@form-relay/clients/webhook/signature';
import type { CheckContext } from '@form-relay/core/command';
import { outputsOf } from '@form-relay/core/config';
import { single } from '@form-relay/core/fields/field';
import type { Delivery, OutputForm, Plugin, Properties, Schema, Template } from '@form-relay/core/index';
import { planPayload, templateContext } from '@form-relay/core/outputs/delivery';
import {
  addressJson,
  addressKeys,
  addressOf,
  addressProblems,
  destinationOf,
  headersKey,
  headerTwice,
  renderHeaders,
} from '@form-relay/core/outputs/http';
import { outputType } from '@form-relay/core/outputs/output';
import { sendRequest, warningOf } from '@form-relay/core/outputs/request';
import type { Services } from '@form-relay/core/services';
import { array, object } from '@form-relay/schema/collections';
import { oneOf } from '@form-relay/schema/scalars';
import { isMap, jsonSchemaOf, optional, required, schema, withDefault } from '@form-relay/schema/schema';
import { secret as secretOf } from '@form-relay/schema/templates';
import { formatPath } from '@form-relay/yaml/problem';
import { changeOf, withdrawalOf } from './archive_layout.ts';
import { filled } from './templates.ts';
import {
  asBase64,
  type BodyNode,
  bodySchema,
  type Content,
  type FileInJson,
  fieldsIn,
  holdsField,
  jsonValues,
  renderBody,
} from './webhook_content.ts';

const secret = secretOf('HOOK_SECRET');
const secrets = array(secret, { least: 1 });

/** With two secrets, the new one comes first. A receiver accepts a request that is signed with either. */
const oneOrMore: Schema<Template | readonly Template[]> = schema(
  () => ({ anyOf: [jsonSchemaOf(secret), jsonSchemaOf(secrets)] }),
  (value, at) => (Array.isArray(value) ? secrets(value, at) : secret(value, at)),
);

// An empty block is an error, because its author means to sign.
export const signKey = optional(
  'Signs each request as in [Standard Webhooks](https://www.standardwebhooks.com), for the receiver to verify (docs/verifying.md).',
  object(
    {
      secret: required(
        'Signing secret, as `{{ env "NAME" }}`: create one with `relay webhook secret`. To rotate it, list the new one first.',
        oneOrMore,
      ),
    },
    `{secret: '{{ env "HOOK_SECRET" }}'}`,
  ),
);

const keys = {
  ...addressKeys,
  method: withDefault('POST', 'Request method.', oneOf(['POST', 'PUT', 'PATCH'])),
  headers: headersKey('`Content-Type` is `application/json` unless set here.'),
  body: optional(
    'Your own JSON (`{title: Question}`), instead of `mapping` and `static`, with templates in its strings. `{$field: topics}` is a field’s value with its type, `$fields` all fields with their labels, `$submission` its id, form, time and page.',
    bodySchema,
  ),
  files: withDefault(
    'none',
    'Format of files in `mapping` or `body`: `base64` adds `content` to their `name`, `type` and `size`; `none` leaves it out.',
    oneOf(['none', 'base64']),
  ),
  sign: signKey,
} satisfies Properties;

interface Sending {
  readonly body?: BodyNode | undefined;
  readonly files?: 'none' | 'base64' | undefined;
}

const webhook = outputType({
  type: 'webhook',
  summary:
    'Posts JSON: an object of `mapping` and `static`, or your own `body`. Responses are judged as with `http_post`.',
  keys,
  jsonSchema: addressJson,
  problems: (output, at) => {
    addressProblems(output, at);
    headerTwice(output.headers, at);
    for (const key of ['mapping', 'static'])
      if (output.body !== undefined && at.in(key).written !== undefined)
        at.in(key).warning(`body is the whole request, so ${key} has no effect; move it into body`, {
          aboutKey: true,
        });
  },
  sendsOfItself: (output) => output.body !== undefined,
  readsFields: ({ body }) => (body === undefined ? [] : fieldsIn(body, ['body'])),
  open: (output, { services, form }) => {
    const plan = planPayload(
      output,
      form.fields.map(({ name }) => name),
    );
    return {
      ...destinationOf(output, services),
      takesFile: (field) => sendsFile(output, plan, field),
      send: async (delivery, { timeoutMs }) => {
        const { method, sign } = output;
        const content = contentOf(output, plan, delivery, form);
        const headers = renderHeaders(output.headers, delivery);
        const signed = sign && (await signatureOf(sign, content, delivery, services.now()));
        const answer = await sendRequest(
          {
            id: delivery.id,
            ...delivery.request,
            method,
            url: addressOf(output, services),
            ...content,
            headers: signed ? { ...headers, ...signed } : headers,
          },
          timeoutMs,
          services,
        );
        return warningOf(answer);
      },
    };
  },
});

const sendsFile = ({ files, body }: Sending, plan: Plan, field: string): boolean =>
  files === 'base64' &&
  (body === undefined
    ? plan.some(({ fieldName, fixed }) => fieldName === field && fixed === undefined)
    : holdsField(body, field));

/** Throws a `ClientError` if a value is not a valid secret. A receiver would reject an unsigned request or, worse, accept it. */
export async function signatureOf(
  { secret }: { readonly secret: Template | readonly Template[] },
  { body, streamed }: Content,
  { id, templateContext }: Delivery,
  now: number,
) {
  const unsigned = {
    id,
    timestamp: Math.floor(now / 1_000),
    body,
    secrets: [secret].flat().map((one, index) => {
      const key = Array.isArray(secret) ? `sign.secret[${index}]` : 'sign.secret';
      const rendered = filled(key, one, templateContext);
      readSecret(rendered, `\`${key}\``);
      return rendered;
    }),
  };
  return streamed ? signStreamed(unsigned, streamed) : signWebhook(unsigned);
}

type Plan = ReturnType<typeof planPayload>;

/** Standard Webhooks event types for deliveries with a certain remark. */
const events = new Map([
  [changeOf, 'submission.changed'],
  [withdrawalOf, 'submission.withdrawn'],
]);

function contentOf({ body, files }: Sending, plan: Plan, delivery: Delivery, form: OutputForm): Content {
  const render = (fileInJson?: FileInJson) => {
    const whole =
      body === undefined
        ? payloadAsJson(plan, delivery, form, fileInJson)
        : renderBody(body, delivery, form, fileInJson);
    // Lets receivers tell a change from a new submission, whatever the body.
    const event = delivery.remarks?.find(({ name }) => events.has(name));
    if (!event || !isMap(whole)) return whole;
    return { type: events.get(event.name), [event.name]: event.value, ...whole };
  };
  if (files === 'base64' && delivery.files.size > 0) return asBase64(render);
  return { contentType: 'application/json', body: JSON.stringify(render()) };
}

/** `mapping` and `static` as one object, built like the payload, but with typed values. */
export function payloadAsJson(
  plan: Plan,
  delivery: Delivery,
  { fields }: OutputForm,
  fileInJson?: FileInJson,
): object {
  const typed = jsonValues(fields, delivery, fileInJson);
  const { templateContext, remarks = [] } = delivery;
  // Without a prototype, `__proto__` is an ordinary key.
  const object: Record<string, unknown> = Object.create(null);
  for (const { key, fieldName, fixed } of plan) {
    const value = fieldName === undefined ? undefined : typed.of(fieldName);
    object[key] = fixed?.render(templateContext) || value;
  }
  for (const [key, values] of delivery.payload) object[key] ??= single(values);
  for (const { name, value } of remarks) object[name] ??= value;
  return object;
}

interface SignedWith {
  readonly template: Template;
  readonly place: string;
}

/** Checks whether the variables of `sign` contain valid secrets. Another check reports unset ones. */
async function probeSecrets({ config, services }: CheckContext): Promise<readonly Finding[]> {
  const uses = (config ? outputsOf(config) : []).flatMap(({ output, path }): SignedWith[] =>
    output.templates
      .filter((one) => one.path[0] === 'sign')
      .map((one) => ({ template: one.template, place: formatPath([...path, ...one.path]) })),
  );
  return groupBy(uses, ({ template }) => template.source).flatMap((used) => secretFound(used, services));
}

function secretFound(used: readonly [SignedWith, ...SignedWith[]], services: Services): readonly Finding[] {
  const [{ template }] = used;
  const subject = [...template.envNames].join(' and ');
  const rendered = template.render(templateContext('', new Map(), 0, services));
  if (rendered === '') return [];
  try {
    const { length } = readSecret(rendered, 'it');
    return [ok(subject, `${length} bytes; signs the requests of ${places(used)}`)];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}, so nothing is delivered (${places(used)})`;
    return [
      failure(subject, says, 'Create one with relay webhook secret; the receiver needs the same secret.'),
    ];
  }
}

export const plugin: Plugin = {
  name: 'webhook',
  outputs: [webhook],
  checks: [{ name: 'Signing secrets', probe: probeSecrets }],
};
