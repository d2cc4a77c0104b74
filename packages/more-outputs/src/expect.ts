/** Success conditions, for services that answer 200 even if they fail. */

import { parseJson, serviceCode, valueAt } from '@form-relay/base/json';
import { parseUrl } from '@form-relay/base/url';
import { outputExtension } from '@form-relay/core/extensions';
import type { FinalAnswer, Parsed, Plugin, Schema } from '@form-relay/core/index';
import { array, object } from '@form-relay/schema/collections';
import { boolean, httpUrl, name, number, text, textSchema, texts } from '@form-relay/schema/scalars';
import {
  checked,
  jsonSchemaOf,
  optional,
  optionalBlock,
  required,
  schema,
  schemaLike,
} from '@form-relay/schema/schema';
import { failed } from './failures.ts';

/** Keys separated by dots. Rejects the notation of other tools, which would name a key that no answer has. */
const way = schemaLike(
  text(),
  checked(name(), (written, at) =>
    /^\$[.[]|\[\d+\]/.test(written)
      ? at.error(
          'write keys separated by dots, without $ and brackets; list items by index from 0: data.0.code',
        )
      : written,
  ),
);

const conditionKeys = {
  at: required(
    'The path in the JSON: keys separated by dots, such as `data.success`; list items count from 0.',
    way,
  ),
  is: optional('The required value, or a list of allowed values (`[ok, queued]`).', texts()),
  is_not: optional('A value that the response must not have there (`error`), or a list of these.', texts()),
  filled: optional(
    '`true`: a value is required; `false`: the value must be missing, `null` or empty.',
    boolean(),
  ),
};
type Condition = Parsed<typeof conditionKeys>;

const condition = object(conditionKeys, '{at: ok, is: true}', ({ is, is_not, filled }, at) => {
  if ([is, is_not, filled].filter((test) => test !== undefined).length !== 1)
    at.error('expected one of is, is_not and filled');
});

const oneOrSeveral = <T>(one: Schema<T>): Schema<readonly T[]> => {
  const several = array(one, { least: 1 });
  return schema(
    () => ({ anyOf: [jsonSchemaOf(one), jsonSchemaOf(several)] }),
    (value, at) => {
      if (Array.isArray(value)) return several(value, at);
      const single = one(value, at);
      return single === undefined ? undefined : [single];
    },
  );
};

const keys = {
  status: optional(
    'Status or statuses that mean success. Default: all below 300, 302 and 303.',
    oneOrSeveral(number({ least: 200, most: 599, whole: true })),
  ),
  json: optional(
    'Condition on the JSON of the response (`{at: ok, is: "true"}`), or a list of conditions.',
    oneOrSeveral(condition),
  ),
  text: optional(
    'Text that the response must contain (`OK`).',
    textSchema((text, at) =>
      text === ''
        ? at.error('empty text matches every response; write the text that a response must contain')
        : text,
    ),
  ),
  location: optional(
    'Prefix that the `Location` of a 302 or 303 must have. The relay does not follow the redirect.',
    httpUrl(),
  ),
  code: optional(
    "Path of the service's error code in its JSON, such as `error.code`; `.` if the whole response is the code. Failed deliveries log it.",
    way,
  ),
};

/** Throws a `ClientError` if the answer is not as expected. */
function judge({ json = [], text, location, code }: Parsed<typeof keys>, answer: FinalAnswer): void {
  const { headers, body, isCut = false, isCompressed, from } = answer;
  const refuse = (expected: string) =>
    failed('answer_unexpected', { expected, code: code && codeIn(body, code) });
  if (location) {
    // Many servers send a Location without an origin (RFC 9110, 10.2.2).
    const led = headers.location && parseUrl(headers.location, from)?.href;
    if (!led?.startsWith(location.href)) throw refuse('`location`');
  }
  if (text !== undefined && isCompressed) throw failed('answer_compressed');
  if (text !== undefined && !body.includes(text))
    throw isCut ? failed('answer_cut') : refuse('`text` is not in it');
  if (json.length === 0) return;
  const parsed = parseJson(body);
  if (parsed === undefined && isCompressed) throw failed('answer_compressed');
  if (isCut) throw failed('answer_cut');
  if (parsed === undefined) throw refuse('not JSON');
  for (const one of json)
    if (!fits(asText(valueAt(parsed, one.at)), one)) throw refuse(`\`json\` at ${one.at}`);
}

/** `.` stands for the whole answer. */
const codeIn = (body: string, at: string) => serviceCode(body, at === '.' ? '' : at);

const fits = (value: string, { is, is_not, filled }: Condition): boolean => {
  if (is) return is.includes(value);
  if (is_not) return !is_not.includes(value);
  return (value !== '') === filled;
};

/** The value as a config writes it: `true`, `5`, `text`. Missing, `null` and empty values become empty text. */
function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}

const expect = outputExtension({
  name: 'expect',
  types: ['http_post', 'crm_web2lead', 'webhook'],
  keys: {
    expect: optionalBlock(
      'Conditions on the receiver’s response for success. The relay reads its first 64 KB.',
      object(keys),
    ),
  },
  configure: ({ output: { expect } }) => {
    if (!expect) return undefined;
    const { status, code } = expect;
    const codeOf = code === undefined ? undefined : (body: string) => codeIn(body, code);
    const parts = {
      ...(status && { accepts: (one: number) => status.includes(one) }),
      ...(codeOf && { codeOf }),
      judge: (answer: FinalAnswer) => judge(expect, answer),
    };
    return {
      wrapTransport: (inner) => ({
        ...inner,
        send: (delivery, call) =>
          inner.send({ ...delivery, request: { ...delivery.request, ...parts } }, call),
      }),
    };
  },
});

export const plugin: Plugin = { name: 'expect', outputExtensions: [expect] };
