/** Checks that members of third-party plug-ins return the right type, and not a promise; errors name the member and the plug-in. */

import { ClientError, PluginMistake, stackOf } from '@form-relay/base/client_error';
import { Html } from '@form-relay/base/html';
import type { Declared, FieldType } from '@form-relay/core/fields/field';
import type { Form } from '@form-relay/core/form';
import type { RelayResponse } from '@form-relay/core/http/request';
import type { Message } from '@form-relay/core/messages/message';
import type { Outcome, Submission } from '@form-relay/core/submission';
import { isMap, type Properties } from '@form-relay/schema/kinds';

/** A field type as written in a plug-in: an error may be a plain text. */
export interface PluginField<K extends Properties = Properties>
  extends Omit<FieldType<K>, 'checkValue' | 'check'> {
  /** The error of one non-empty value. Default: the value must be one of those offered. */
  checkValue?(field: Declared<K>, value: string, submission: Submission): Message | string | undefined;
  /** The error of all values together. */
  check?(field: Declared<K>, values: readonly string[], submission: Submission): Message | string | undefined;
}

/** Types the definition of a field type. `soundField` turns texts into messages. */
export const pluginField = <K extends Properties>(definition: PluginField<K>): FieldType =>
  definition as unknown as FieldType;

type Method = (...given: readonly unknown[]) => unknown;

/** A copy of the object, with the named methods wrapped. */
export function wrapped<T extends object>(
  one: T,
  wrap: (method: Method, name: string) => Method,
  names: readonly string[] = Object.keys(one),
): T {
  const methods = names.flatMap((name) => {
    const method: unknown = Reflect.get(one, name);
    return typeof method === 'function' ? [[name, wrap(method.bind(one), name)] as const] : [];
  });
  return { ...one, ...Object.fromEntries(methods) };
}

/** A copy of the object; a method that returns a promise throws, because its result is used synchronously. */
export const answeringAtOnce = <T extends object>(what: string, one: T): T =>
  wrapped(
    one,
    (method, name) =>
      (...given) =>
        atOnce(`${name} of ${what}`, () => method(...given)),
  );

/** Calls a member; if it throws, the error names it. */
export function naming<T>(what: string, work: () => T): T {
  const fail = (error: unknown): never => {
    throw mistakeIn(what, error);
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (error) {
    return fail(error);
  }
}

/** Replaces the engine's message, which may hold a submitted value. */
const frozenForm = 'a TypeError: forms are frozen once they are loaded, and cannot be changed';
const isWrite = (error: unknown): boolean =>
  error instanceof TypeError &&
  /read only property|not extensible|^Cannot (delete|redefine) property/.test(error.message);

/** An error that names the member that threw, with its stack frames. */
export function mistakeIn(what: string, error: unknown): PluginMistake {
  if (error instanceof PluginMistake) return error;
  const why = error instanceof ClientError ? `: ${error.message}` : isWrite(error) ? `: ${frozenForm}` : '';
  const mistake = new PluginMistake(`${what} failed${why}`, { cause: error });
  mistake.stack = [mistake.message, ...stackOf(error).slice(1)].join('\n    ');
  return mistake;
}

function atOnce(what: string, work: () => unknown): unknown {
  const answered = naming(what, work);
  if (!(answered instanceof Promise)) return answered;
  answered.catch(() => undefined);
  throw new PluginMistake(`${what} must be synchronous, but returned a promise`);
}

/** Returns an object unchanged; throws for anything else. */
export const objectOr =
  (says: string) =>
  <T>(given: T): T => {
    if (isMap(given)) return given;
    throw new PluginMistake(says);
  };

const isText = (value: unknown) => typeof value === 'string';
const isList = (value: unknown) => Array.isArray(value) && value.every(isText);
const isMessage = (value: unknown) => isMap(value) && isText(value.code);
const isNothing = (value: unknown) =>
  value === undefined || value === null || value === false || value === '';

const unworded = new WeakMap<Form, Set<string>>();

/** Reports a code without a text, once for each member and form. The report omits the code, which may be a submitted value. */
export function reportUnworded({ code }: Message, submission: Submission, what: string): void {
  const { form } = submission;
  const { translate } = form.locale(undefined);
  const reported = unworded.get(form) ?? new Set();
  if (code === 'try_again' || reported.has(what) || translate({ code }) !== translate({ code: 'try_again' }))
    return;
  unworded.set(form, reported.add(what));
  const says = `${what} returned a code that has no text; add the text to \`messages\` of the plug-in`;
  submission.log('error', 'internal_error', { stack: [says] });
}

/** The code for a text that a check returns instead of a message. */
const textCode = 'text_of_plugin';
export const messagesOfTexts = { [textCode]: '{text}' };

const messageOf = (returned: unknown): unknown =>
  isNothing(returned)
    ? undefined
    : isText(returned)
      ? ({ code: textCode, params: { text: returned as string } } satisfies Message)
      : returned;

interface Answer {
  readonly expected: string;
  readonly isSound: (value: unknown) => boolean;
}

const text: Answer = { expected: 'a text', isSound: isText };
const texts: Answer = { expected: 'a list of texts', isSound: isList };
const error: Answer = {
  expected: 'undefined, a text or a message such as { code: "not_a_color" }',
  isSound: (value) => value === undefined || isMessage(value),
};

/** The return types of members of field types and their extensions. Other members may return anything. */
const answers: Readonly<Record<string, Answer>> = {
  normalizeValue: text,
  canonical: text,
  store: text,
  words: texts,
  offered: { ...texts, isSound: (value) => value === undefined || isList(value) },
  checkValue: error,
  check: error,
  derive: {
    expected: '{ reads, key, values }',
    isSound: (value) => value === undefined || (isMap(value) && isList(value.reads) && isText(value.key)),
  },
  values: texts,
  control: { expected: 'markup, such as kit.html.tag makes', isSound: (value) => value instanceof Html },
};

/** A copy whose members' results are checked. @param fieldOf The name of the field that a call of a member is about. */
export const answeringSoundly = <T extends object>(
  of: string,
  one: T,
  fieldOf: (given: readonly unknown[]) => unknown,
): T =>
  wrapped(one, (method, name) => (...given) => {
    const field = fieldOf(given);
    const what = `${name} of ${of}${isText(field) ? `, asked about the field "${field}",` : ''}`;
    const returned = atOnce(what, () => method(...given));
    const isCheck = name === 'checkValue' || name === 'check';
    const answered = isCheck ? messageOf(returned) : returned;
    const { expected, isSound } = answers[name] ?? {};
    if (isSound && !isSound(answered))
      throw new PluginMistake(`${what} returned ${kindOf(answered)}; expected ${expected}`);
    if (isCheck && isMessage(answered))
      reportUnworded(answered as unknown as Message, given.at(-1) as Submission, what);
    return answered;
  });

/** A field type with checked members; the field's keys are their first argument. */
export function soundField(type: FieldType, what: string): FieldType {
  const sound = answeringSoundly(what, type, ([field]) => (isMap(field) ? field.name : undefined));
  const { derive } = sound;
  if (!derive) return sound;
  const derivedSoundly: FieldType['derive'] = (field, ...given) => {
    const found = derive(field, ...given);
    return found && answeringSoundly(`the result of derive of ${what}`, found, () => field.name);
  };
  return { ...sound, derive: derivedSoundly };
}

/** Describes the type of a value, never the value itself, which may be a visitor's. */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object without a code' : `a ${typeof value}`;
}

// Checks the results of hooks and routes of plug-ins; errors say what cannot be sent, and which member returned it.

/** Throws if an outcome cannot be sent. @param what Such as `the feature "quota"`. */
export function soundOutcome(outcome: Outcome | undefined, what: string): Outcome {
  const refuse = (why: string) => {
    throw new PluginMistake(`${what} returned ${why}`);
  };
  if (!isMap(outcome) || typeof outcome.kind !== 'string')
    return refuse('no outcome; return kit.refused(…), or the result of next(submission)');
  const { status, message, errors, headers = {}, json, answer } = outcome;
  const problem = answerProblem({ status, headers, body: '' }) ?? (answer && answerProblem(answer));
  if (problem) refuse(`an outcome with ${problem}`);
  if (message !== undefined && !isCode(message)) refuse('an outcome whose `message` has no code');
  if (errors !== undefined && !(Array.isArray(errors) && errors.every(isCode)))
    refuse('an outcome whose `errors` are not a list of messages');
  // Throws if there are circular references.
  if (json !== undefined) JSON.stringify(json);
  return outcome;
}

/** Throws if a response cannot be sent. @param what Such as `answer of the route "quota"`. */
export function soundAnswer(answer: RelayResponse, what: string): RelayResponse {
  const problem = answerProblem(answer);
  if (problem) throw new PluginMistake(`${what} returned ${problem}`);
  return answer;
}

const isCode = (one: unknown) => isMap(one) && typeof one.code === 'string';

function answerProblem(answer: unknown): string | undefined {
  if (!isMap(answer)) return 'no answer; expected { status, headers, body }';
  const { status, headers, body } = answer;
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) >= 600)
    return 'a `status` that is not from 200 to 599';
  if (!isMap(headers)) return '`headers` that are not an object';
  const wrong = Object.entries(headers).find(
    ([name, value]) => !/^[\w-]+$/.test(name) || typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value),
  );
  if (wrong) return `a header ${JSON.stringify(wrong[0])} that cannot be sent; names and values are ASCII`;
  return typeof body === 'string' || body instanceof Uint8Array ? undefined : 'a `body` that is not text';
}
