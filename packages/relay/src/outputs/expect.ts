import * as v from 'valibot';
import { failed } from '../base/client_error.ts';
import type { HttpAnswer } from '../base/effects.ts';
import { wrong } from '../schema/issue.ts';
import { optional, required, section } from '../schema/keys.ts';
import { flag, httpUrl, list, name, number, text, texts } from '../schema/kinds.ts';
import { parseJson, serviceCode, valueAt } from '../transports/http/answer.ts';

/** Conditions for success, for services that answer 200 to a failure. */

/** Keys with dots between them. What other tools write would be a key that no answer has. */
const way = () =>
  v.pipe(
    name(),
    v.check((written) => !/^\$[.[]|\[\d+\]/.test(written), wrong('expect_way_of_other_tools')),
  );

const conditionKeys = {
  at: required(
    'Where in the JSON: keys with dots between them, such as `data.success`; in a list, a place from 0.',
    way(),
  ),
  is: optional('The value, or one of the values, that must stand there.', texts()),
  is_not: optional('The value, or the values, that must not stand there.', texts()),
  filled: optional(
    '`true`: something must stand there; `false`: nothing, `null`, or something empty.',
    flag(),
  ),
};

const condition = v.pipe(
  section(conditionKeys, '{at: ok, is: true}'),
  v.check(
    ({ is, is_not, filled }) => [is, is_not, filled].filter((test) => test !== undefined).length === 1,
    wrong('expect_without_one_test'),
  ),
);

type Condition = v.InferOutput<typeof condition>;

const oneOrMore = <T>(one: v.GenericSchema<unknown, T>) => {
  const several = list(one, { least: 1 });
  const single = v.pipe(
    one,
    v.transform((value): readonly T[] => [value]),
  );
  return v.pipe(
    v.lazy((input): v.GenericSchema<unknown, readonly T[]> => (Array.isArray(input) ? several : single)),
    v.metadata({ jsonSchema: { minItems: 1 }, either: [one, several] }),
  );
};

const keys = {
  status: optional(
    'The status, or the list of them, that means success. Default: every one below 300, 302 and 303.',
    oneOrMore(number({ least: 200, most: 599, whole: true })),
  ),
  json: optional(
    'What must stand in the JSON of the answer: a condition, or a list of them.',
    oneOrMore(condition),
  ),
  text: optional(
    'What the answer must contain, as it is written.',
    v.pipe(
      text(),
      v.check((value) => value !== '', wrong('expect_text_empty')),
    ),
  ),
  location: optional(
    'What the address must begin with to which a 302 or 303 leads. The relay does not go there.',
    httpUrl(),
  ),
  code: optional(
    "Where the service's own error code stands in its JSON, such as `error.code`; `.` where the whole answer is the code. " +
      'A failed delivery names it in the log. Texts are never told.',
    way(),
  ),
};

export const expectSchema = section(keys);

export type Expect = v.InferOutput<typeof expectSchema>;

/** Throws a `ClientError` when the answer is not what was expected. `status` was looked at by the transport. */
export function checkAnswer(
  { json = [], text, location, code }: Expect,
  { headers, body, isCut = false, unknownCoding: coding }: HttpAnswer,
): void {
  const refuse = (expected: string) =>
    failed('answer_unexpected', { expected, code: code && serviceCode(body, code === '.' ? '' : code) });
  if (location && !headers.location?.startsWith(location.href)) throw refuse('`location`');
  if (text !== undefined && !body.includes(text)) {
    if (coding !== undefined) throw failed('answer_coded', { coding });
    throw isCut ? failed('answer_cut') : refuse('`text` is not in it');
  }
  if (json.length === 0) return;
  const answer = parseJson(body);
  if (answer === undefined && coding !== undefined) throw failed('answer_coded', { coding });
  if (isCut) throw failed('answer_cut');
  if (answer === undefined) throw refuse('it is not JSON');
  for (const one of json) {
    if (!fits(asText(valueAt(answer, one.at)), one)) throw refuse(`\`json\` at ${one.at}`);
  }
}

const fits = (value: string, { is, is_not, filled }: Condition): boolean => {
  if (is) return is.includes(value);
  if (is_not) return !is_not.includes(value);
  return (value !== '') === filled;
};

/** As the config writes it: `true`, `5`, `text`. Nothing, `null`, and what is empty are the empty text. */
function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}
