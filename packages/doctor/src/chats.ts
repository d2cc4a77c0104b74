import { ClientError } from '@form-relay/base/client_error';
import type { Delivery, OutputContext } from '@form-relay/core/outputs/output';
import { templateContext } from '@form-relay/core/outputs/template_context';
import { type Diagnosis, failure } from '@form-relay/mail-dns';
import type { Examine } from './examination.ts';
import { outputsThrough, type PlacedOutput } from './outputs.ts';
import type { Setup } from './setup.ts';
import type { HttpTarget } from './target.ts';

/** Checks whether the variables of chats hold tokens. Another examination reports unset ones. */
export const examineChats: Examine = async (setup) =>
  (await Promise.all(outputsThrough(setup, 'http').map((placed) => held(placed, setup)))).flat();

/** The codes of failures that do not depend on the submission. */
const said: readonly string[] = ['token_malformed'];

/** Has the output make its request, which is not sent. */
async function held(
  { output, place }: PlacedOutput<HttpTarget>,
  { loaded, services, settings: { mailFromAddress } }: Setup,
): Promise<readonly Diagnosis[]> {
  const type = output && loaded?.registry.outputTypes.get(output.type);
  if (!type) return [];
  const sendsNothing = () => Promise.reject(new Error('the doctor sends nothing'));
  const context: OutputContext = {
    services: { ...services, http: sendsNothing, smtp: sendsNothing, ses: sendsNothing },
    mailFromAddress,
    form: output.form,
  };
  const nothing: Delivery = {
    id: '',
    requestId: '',
    formId: '',
    receivedAt: 0,
    values: new Map(),
    payload: [],
    templateContext: templateContext('', new Map(), 0, services),
    files: new Map(),
  };
  try {
    await type.open({ ...output }, context).send(nothing, 1);
    return [];
  } catch (error) {
    if (!(error instanceof ClientError && said.includes(error.code))) return [];
    const remedy = 'Nothing is delivered like this. Copy it anew, as the service shows it.';
    return [failure(place, error.message, remedy)];
  }
}
