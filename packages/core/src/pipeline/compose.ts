import { PluginMistake, stackOf } from '@form-relay/base/client_error';
import type { MaybePromise } from '@form-relay/base/maybe_promise';
import { parseUrlencoded } from '@form-relay/base/urlencoded';
import type { Values } from '@form-relay/base/values';
import type { Form } from '../form.ts';
import { maxBodyBytes } from '../http/request.ts';
import { type BodyParser, guard, type Hooks, type ParsedBody } from '../plugin.ts';
import type { Handler, Middleware, Outcome, Submission } from '../submission.ts';
import { internalError, refused } from '../submission.ts';
import { deliverToOutputs } from './deliver.ts';
import { validate } from './validate.ts';

/**
 * The pipeline of a form: `onRequest`, body, `beforeValidation`, validation, `afterValidation`, `aroundDelivery`,
 * delivery; each wraps the rest. Composed once, when the form is compiled, so absent hooks cost nothing.
 */
export function buildPipeline(
  used: readonly Named[],
  isTraced: boolean,
): Pick<Form, 'steps' | 'handler' | 'accept' | 'deliver'> {
  const deliver = used.reduceRight(
    (rest, { aroundDelivery: middleware, name }) =>
      middleware ? once(guarded(middleware(rest), name, rest)) : rest,
    once(deliverToOutputs),
  );
  const around = (phase: 'onRequest' | 'beforeValidation' | 'afterValidation', next: Handler): Handler =>
    used.reduceRight((rest, { [phase]: middleware, browsersOnly, name }) => {
      if (!middleware) return rest;
      const inside = isTraced ? traced(middleware, rest, name) : middleware(rest);
      return guarded(inside, name, deliver, browsersOnly && phase !== 'afterValidation' ? rest : undefined);
    }, next);
  const accept = around('afterValidation', deliver);
  const validated = isTraced ? traced(validating, accept, 'validation') : validating(accept);
  const handler = around('onRequest', reading(around('beforeValidation', validated)));
  const namesOf = (phase: 'onRequest' | 'beforeValidation' | 'afterValidation') =>
    used.flatMap(({ name, cards, browsersOnly, [phase]: middleware }) =>
      middleware && (cards || browsersOnly) ? name : [],
    );
  const before = [...namesOf('onRequest'), ...namesOf('beforeValidation')];
  const steps = [...new Set([...before, 'validation', ...namesOf('afterValidation')])];
  return { steps, handler, accept, deliver };
}

type Named = Hooks & { readonly name: string };

function traced(middleware: Middleware, next: Handler, name: string): Handler {
  const inside = middleware((submission) => {
    submission.trace?.pass(name);
    return next(submission);
  });
  return (submission) => {
    submission.trace?.enter(name);
    return inside(submission);
  };
}

/** A step of the delivery, which runs once for each submission, however often a feature calls `next`. */
function once(handler: Handler): Handler {
  const step: Handler = (submission) => {
    const known = submission.begun && begun(submission, step);
    if (known !== undefined) return known;
    const outcome = handler(submission);
    submission.begun = { step, outcome, before: submission.begun };
    return outcome;
  };
  return step;
}

/** The outcome of a delivery step, if it has begun. */
function begun(submission: Submission, step: Handler): MaybePromise<Outcome> | undefined {
  for (let one = submission.begun; one; one = one.before) if (one.step === step) return one.outcome;
  return undefined;
}

/**
 * A feature that throws ends the submission with a 500. Once the delivery has begun, its outcome counts
 * instead: a 500 would make the sender repeat it.
 *
 * @param rest Handles submissions of trusted servers, if the feature is for browsers only.
 */
function guarded(handler: Handler, name: string, delivery: Handler, rest?: Handler): Handler {
  const broken = (submission: Submission, error: unknown): MaybePromise<Outcome> => {
    // A plug-in's mistake names its member. The mistake may be in another plug-in, such as in a field that this hook calls.
    const by = error instanceof PluginMistake ? undefined : name;
    submission.log('error', 'internal_error', { ...(by && { feature: by }), stack: stackOf(error) });
    return begun(submission, delivery) ?? { ...internalError, by: name };
  };
  return (submission) => {
    if (rest && submission.isTrusted) return rest(submission);
    try {
      const outcome = handler(submission);
      // The delivery's own promise never rejects.
      return outcome instanceof Promise && outcome !== submission.begun?.outcome
        ? outcome.catch((error) => broken(submission, error))
        : outcome;
    } catch (error) {
      return broken(submission, error);
    }
  };
}

/** Parses the body, or returns the reason for refusing it (SPEC: POST /api/v1/submit/{form}, 400). */
export function readBody(submission: Submission, form = submission.form): MaybePromise<Outcome | undefined> {
  const body = bodyOf(submission, form.bodies);
  return body instanceof Promise
    ? body.then((one) => takeBody(one, submission, form))
    : takeBody(body, submission, form);
}

function takeBody(body: ParsedBody | Outcome, submission: Submission, form: Form): Outcome | undefined {
  if ('kind' in body) return body;
  submission.sent = knownValues(form, body.values);
  if (body.files) submission.sentFiles = body.files;
  if (body.lists) submission.sentLists = body.lists;
  return undefined;
}

/** The submitted values of inputs that the form knows. A body may contain thousands of others. */
function knownValues(form: Form, values: Values): Values {
  const { usedNames, reservedNames } = form;
  for (const name of values.keys())
    if (!usedNames.has(name) && !reservedNames.has(name))
      return new Map([...values].filter(([name]) => isKnown(form, name)));
  return values;
}

/** A name below that of a field with inputs may exceed the allowed number, which validation reports. */
const isKnown = ({ usedNames, reservedNames, fields, inputs }: Form, name: string): boolean =>
  usedNames.has(name) ||
  reservedNames.has(name) ||
  (inputs !== fields && fields.some((field) => field.inputs && name.startsWith(`${field.name}.`)));

const reading = guard(readBody);
const validating = guard(validate);

const malformed = refused(400, 'body_malformed');

/** The body that every form accepts (SPEC: POST /api/v1/submit/{form}). */
export const urlencoded: BodyParser = {
  mediaType: 'application/x-www-form-urlencoded',
  maxBytes: maxBodyBytes,
  parse: (body) => {
    const values = parseUrlencoded(body);
    return values ? { values } : malformed;
  },
};

/** Most clients send the exact media type, so it is looked up first. */
export const parserFor = (contentType: string, bodies: Form['bodies']): BodyParser | undefined =>
  bodies.get(contentType) ?? bodies.get(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '');

/** The body as the first parser for its type reads it, or the reason for refusing it. */
export function bodyOf(
  { request, isTrusted, settings: { uploadBudget } }: Pick<Submission, 'request' | 'isTrusted' | 'settings'>,
  bodies: Form['bodies'],
): MaybePromise<ParsedBody | Outcome> {
  const { headers, body, isTooLong } = request;
  const contentType = headers['content-type'] ?? '';
  const parser = parserFor(contentType, bodies);
  if (!parser || (parser.isForServers && !isTrusted)) {
    const accepted = [...bodies.values()].filter(({ isForServers }) => isTrusted || !isForServers);
    const types = accepted.map(({ mediaType }) => mediaType).join(', ');
    return refused(400, 'content_type_unsupported', { types });
  }
  const maxBytes = Math.min(parser.maxBytes, uploadBudget);
  if (isTooLong || (body && body.byteLength > maxBytes))
    return maxBytes > maxBodyBytes
      ? refused(400, 'body_over_limit', { size: { bytes: maxBytes } })
      : refused(400, 'body_too_long');
  if (!body) return refused(400, 'body_unreadable');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return refused(400, 'body_compressed');
  return parser.parse(body, contentType);
}
