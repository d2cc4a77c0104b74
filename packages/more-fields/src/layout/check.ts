/**
 * `POST /api/v1/check/{form}?step=1`: lets pages check what was typed so far, in any form. With `?values`,
 * also returns the normalized values.
 */

import { chain } from '@form-relay/base/maybe_promise';
import { parseQuery } from '@form-relay/base/urlencoded';
import { normalized } from '@form-relay/core/fields/field';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import type {
  Form,
  MaybePromise,
  Plugin,
  RelayResponse,
  RouteContext,
  Submission,
} from '@form-relay/core/index';
import { readBody } from '@form-relay/core/pipeline/compose';
import { validate } from '@form-relay/core/pipeline/validate';
import { feature } from '@form-relay/core/plugin';
import { refused } from '@form-relay/core/submission';

/** Checks whether a step is filled in correctly. Delivers nothing, needs no token, logs nothing. */
function checkStep(call: RouteContext): MaybePromise<RelayResponse> {
  const { form, request, services } = call;
  const query = parseQuery(request.query);
  const names = namesOf(call);
  if (!names) return call.respond(refused(404, 'unknown_page'));
  const submission = call.resume({
    requestId: call.requestId,
    receivedAt: services.now(),
    values: new Map(),
  });
  const refusal = form.provided.get('origin')?.refusal(submission);
  if (refusal) return call.respond(refusal);
  return chain(readBody(submission, form), (refusal) => {
    if (!refusal && query?.has('values')) return jsonAnswer(200, { values: meantBy(submission, form) });
    const outcome = refusal ?? validate(submission, form, names);
    return outcome
      ? call.respond(outcome)
      : { status: 204, headers: { 'cache-control': 'no-store' }, body: '' };
  });

  /** `?step=1` is the first step. Without a number, checks all fields. */
  function namesOf({ form: { fields, provided } }: RouteContext): ReadonlySet<string> | undefined {
    const number = query?.get('step')?.[0];
    const all = { from: 0, to: fields.length };
    const step = number === undefined ? all : provided.get('steps')?.[Number(number) - 1];
    // Files are sent only with the submission itself. Until then, their names stand for them.
    const texts = fields.slice(step?.from, step?.to).filter(({ takeFiles }) => !takeFiles);
    return step && new Set(texts.map(({ name }) => name));
  }
}

/** The canonical values of the sent fields whose values a script cannot compare. */
function meantBy({ sent }: Submission, form: Form): Readonly<Record<string, readonly string[]>> {
  const values = normalized(sent, form);
  const compared = form.fields.filter(({ name, comparedAs }) => comparedAs === 'relay' && sent.has(name));
  return Object.fromEntries(
    compared.map(({ name, canonical }) => [name, (values.get(name) ?? []).map(canonical)]),
  );
}

export const checkPlugin: Plugin = {
  name: 'check',
  features: [
    feature({
      name: 'check',
      configure: () => undefined,
      routes: [{ name: 'check', method: 'POST', answer: checkStep }],
    }),
  ],
};
