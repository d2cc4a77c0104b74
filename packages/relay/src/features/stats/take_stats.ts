import type { RelayRequest, RelayResponse } from '../../base/http.ts';
import type { Call, Form } from '../../form.ts';
import { failure, respond } from '../../pages/respond.ts';

const mostBytes = 2_000;

/**
 * `POST /api/v1/stats/{form}`: words such as `view start step1 send`, of what happened on one page since it last said so. They
 * count, and nothing else of the request is kept.
 */
export async function takeStats(
  call: Call,
  isCounted: (form: Form) => boolean | undefined,
): Promise<RelayResponse> {
  const found = await call.findForm();
  if (!found.ok) return found.error;
  const form = found.value;
  if (!isCounted(form)) return failure(404, { code: 'unknown_page' }, call.context(form));
  const { request, settings, effects, memory } = call;
  const refused = (await form.stages.admit?.({ form, world: call, settings, effects, memory }))?.ending;
  if (refused) return respond(refused, call.context(form));
  const { body = new Uint8Array() } = request;
  if (isRefusing(request) || request.isTooLong || body.length > mostBytes) return taken;
  const words = new Set(Buffer.from(body).toString('latin1').split(' '));
  const once = (word: string) => (words.has(word) ? 1 : 0);
  const counts = {
    views: once('view'),
    starts: once('start'),
    sends: once('send'),
    steps: form.steps.map((_, index) => once(`step${index + 1}`)),
  };
  if (counts.views + counts.starts + counts.sends + counts.steps.filter(Boolean).length > 0)
    call.tellCounted(form, counts);
  return taken;
}

/** Browsers of people who do not want to be counted say so. */
const isRefusing = ({ headers }: RelayRequest) => headers['sec-gpc'] === '1' || headers.dnt === '1';

const taken: RelayResponse = { status: 204, headers: { 'cache-control': 'no-store' }, body: '' };
