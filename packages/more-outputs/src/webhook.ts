import { readSecret } from '@form-relay/clients/webhook/secret';
import { signStreamed, signWebhook } from '@form-relay/clients/webhook/signature';
import type {
  Delivery,
  Diagnostics,
  OutputForm,
  Plugin,
  Properties,
  Schema,
  Template,
} from '@form-relay/core/index';
import {
  addressJson,
  addressKeys,
  addressOf,
  addressProblems,
  array,
  contentTypeWarning,
  destinationOf,
  headersKey,
  headerTwice,
  jsonSchemaOf,
  object,
  oneOf,
  optional,
  outputType,
  planPayload,
  renderHeaders,
  required,
  schema,
  sendRequest,
  warningOf,
  withDefault,
} from '@form-relay/core/kit';
import { pdfName } from './pdf_name.ts';
import { filled, secretTemplate } from './templates.ts';
import { type BodyNode, bodySchema, fieldsIn, holdsField, holdsPdf } from './webhook_body.ts';
import {
  asBase64,
  asParts,
  type Content,
  type FileInJson,
  jsonValues,
  renderBody,
} from './webhook_content.ts';

const secret = secretTemplate('HOOK_SECRET');
const secrets = array(secret, { least: 1 });

/** The new one first: a receiver takes a request that either of them has signed. */
const oneOrMore: Schema<Template | readonly Template[]> = schema(
  () => ({ anyOf: [jsonSchemaOf(secret), jsonSchemaOf(secrets)] }),
  (value, at) => (Array.isArray(value) ? secrets(value, at) : secret(value, at)),
);

const keys = {
  ...addressKeys,
  method: withDefault('POST', 'The request method.', oneOf(['POST', 'PUT', 'PATCH'])),
  headers: headersKey('`Content-Type` is `application/json` unless it stands here.'),
  body: optional(
    'The JSON to send, in place of `mapping` and `static`: a tree whose leaves may hold templates. `{$field: topics}` is a field’s value with its type, `$fields` all fields with their labels, `$submission` its id, form, time and page.',
    bodySchema,
  ),
  files: withDefault(
    'none',
    'How the files of the fields go along that `mapping` or `body` names. `base64`: in the JSON, as `content` beside `name`, `type` and `size`. `multipart`: as `multipart/form-data`, with the JSON in the part `payload` and each file in a part of its own, which the JSON names as `part`. `none`: only `name`, `type` and `size` are sent.',
    oneOf(['none', 'base64', 'multipart']),
  ),
  // There is no empty block: whoever begins one means to sign.
  sign: optional(
    'Signs each request as [Standard Webhooks](https://www.standardwebhooks.com) does, so that the receiver knows that it comes from here (docs/verifying.md).',
    object(
      {
        secret: required(
          'What to sign with, only as `{{ env "NAME" }}`: `relay webhook secret` prints one. While it changes, a list, the new one first: a receiver takes a request that either of them has signed.',
          oneOrMore,
        ),
      },
      `{secret: '{{ env "HOOK_SECRET" }}'}`,
    ),
  ),
} satisfies Properties;

interface Sending {
  readonly body?: BodyNode | undefined;
  readonly files?: 'none' | 'base64' | 'multipart' | undefined;
}

/** The PDF travels as files do, and a body of the owner's says where. `pdf` is a key of an extension. */
function pdfProblems({ files, body, ...output }: Sending, at: Diagnostics): void {
  const hasPlace = body !== undefined && holdsPdf(body);
  if (!asksForPdf(output)) {
    if (hasPlace)
      at.in('body').error('$pdf stands for a PDF that is not made; add pdf: true, or leave it out');
    return;
  }
  if (files !== 'base64' && files !== 'multipart')
    at.in('pdf').error('the PDF goes along as files do; add files: base64 or files: multipart');
  if (body !== undefined && !hasPlace)
    at.in('body').error('nothing in this body says where the PDF goes; add $pdf, as in "document: $pdf"');
}

const asksForPdf = (output: object): boolean => 'pdf' in output && output.pdf === true;

const webhook = outputType({
  type: 'webhook',
  summary:
    'Sends JSON: an object of `mapping` and `static`, or the `body` of your own. A 4xx or 5xx answer, or one that is not what `expect` says, is a failed delivery.',
  keys,
  jsonSchema: addressJson,
  problems: (output, at) => {
    addressProblems(output, at);
    headerTwice(output.headers, at);
    if (output.files === 'multipart') contentTypeWarning(output.headers, 'multipart/form-data', at);
    pdfProblems(output, at);
    for (const key of ['mapping', 'static'])
      if (output.body !== undefined && Reflect.get(output, key) !== undefined)
        at.in(key).warning(`body says all that is sent, so ${key} has no effect; put it into body`, {
          aboutKey: true,
        });
  },
  sendsOfItself: (output) => output.body !== undefined || asksForPdf(output),
  readsFields: ({ body }) => (body === undefined ? [] : fieldsIn(body, ['body'])),
  open: (output, { services, form }) => {
    const plan = planPayload(
      output,
      form.fields.map(({ name }) => name),
    );
    return {
      ...destinationOf(output),
      takesFile: (field) => sendsFile(output, plan, field),
      send: async (delivery, timeoutMs) => {
        const { method, files, sign } = output;
        const content = contentOf(output, plan, delivery, form);
        const without = files === 'multipart' ? 'content-type' : undefined;
        const headers = renderHeaders(output.headers, delivery, without);
        const signed = sign && (await signatureOf(sign, content, delivery, services.now()));
        const answer = await sendRequest(
          {
            ...delivery.request,
            method,
            url: addressOf(output, services),
            id: delivery.id,
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
  files !== undefined &&
  files !== 'none' &&
  (body === undefined
    ? plan.some(({ fieldName, fixed }) => fieldName === field && fixed === undefined)
    : holdsField(body, field));

/** Throws a `ClientError` for what is no secret: a request that nobody signed would be refused, or worse, taken. */
async function signatureOf(
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

function contentOf({ body, files }: Sending, plan: Plan, delivery: Delivery, form: OutputForm): Content {
  const render = (fileInJson?: FileInJson) =>
    body === undefined
      ? payloadAsJson(plan, delivery, form, fileInJson)
      : renderBody(body, delivery, form, fileInJson);
  if (files === 'multipart') return asParts(render, delivery.id);
  if (files === 'base64' && delivery.files.size > 0) return asBase64(render);
  return { contentType: 'application/json', body: JSON.stringify(render()) };
}

/** `mapping` and `static` as one object, by the rules of the payload, with values that keep their type. */
function payloadAsJson(
  plan: Plan,
  delivery: Delivery,
  { fields }: OutputForm,
  fileInJson?: FileInJson,
): object {
  const typed = jsonValues(fields, delivery, fileInJson);
  const { templateContext, remarks = [], files } = delivery;
  // Without a prototype, `__proto__` is a name like any other.
  const object: Record<string, unknown> = Object.create(null);
  for (const { key, fieldName, fixed } of plan) {
    const value = fieldName === undefined ? undefined : typed.of(fieldName);
    object[key] = fixed?.render(templateContext) || value;
  }
  for (const { name, value } of remarks) object[name] ??= value;
  if (files.has(pdfName)) object[pdfName] = typed.pdf();
  return object;
}

export const plugin: Plugin = { name: 'webhook', outputs: [webhook] };
