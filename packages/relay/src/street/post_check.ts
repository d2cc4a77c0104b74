import type { RelayRequest, RelayResponse } from '../base/http.ts';
import { parseBody } from '../bodies/parse_body.ts';
import { parseQuery } from '../bodies/urlencoded.ts';
import { checkFields } from '../features/validation.ts';
import type { Form } from '../form.ts';
import { failure, respond } from '../pages/respond.ts';
import type { Exchange } from './exchange.ts';
import { findForm } from './find_form.ts';
import { shownNow } from './shown_now.ts';

/**
 * Whether one step of a form is filled in as it should be, before its visitor sees the next: whether the form is open, and
 * validation of that step's fields, given all that was typed so far. Nothing is delivered, no token is needed, and the log has no line.
 */
export async function postCheck(formId: string | undefined, exchange: Exchange): Promise<RelayResponse> {
  const { request, settings, effects, config } = exchange;
  const found = await findForm(formId, config);
  if (!found.ok) return respond(found.error, exchange.context());
  const form = found.value;
  const names = namesOf(form, request);
  if (!names) return failure(404, { code: 'unknown_page' }, exchange.context(form));
  const arrival = { form, world: exchange, settings, effects, memory: exchange.memory };
  const refused = (await form.stages.admit?.(arrival))?.ending;
  if (refused) return respond(refused, exchange.context(form));
  // Later steps would be filled in for nothing.
  const { instead } = await shownNow(form, effects.now(), effects);
  if (instead) return failure(403, instead, exchange.context(form));
  const body = await parseBody(request, form);
  if (!body.ok) return respond({ kind: 'bad_request', refusal: body.error }, exchange.context(form));
  const { values, files, lists } = body.value;
  const ending = await checkFields(names, { values, files }, { form, effects });
  return ending
    ? respond(ending, exchange.context(form, undefined, undefined, lists))
    : { status: 204, headers: noStore, body: '' };
}

const noStore = { 'cache-control': 'no-store' };

/** `?step=1` is the first step; without a number, all fields are meant. */
function namesOf({ fields, steps }: Form, { query }: RelayRequest): ReadonlySet<string> | undefined {
  const number = parseQuery(query)?.get('step')?.[0];
  const step = number === undefined ? { from: 0, to: fields.length } : steps[Number(number) - 1];
  // Files come with the submission itself. Until then, their names say that they are there.
  const texts = fields.slice(step?.from, step?.to).filter(({ takeFiles }) => !takeFiles);
  return (
    step && new Set(texts.flatMap((field) => [field, ...(field.parts?.all ?? [])]).map(({ name }) => name))
  );
}
