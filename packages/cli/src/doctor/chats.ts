import { ClientError, type Job, noFiles } from '@form-relay/relay/base';
import { type Diagnosis, failure } from '@form-relay/relay/diagnosis';
import type { Environment } from '@form-relay/relay/schema';
import type { Examine } from './examination.ts';
import { outputsThrough, type PlacedOutput, read } from './outputs.ts';

/** Checks whether the variables of chats hold tokens and topics. Another examination reports unset ones. */
export const examineChats: Examine = async ({ forms }, { env }) =>
  outputsThrough(forms, 'http').flatMap((placed) => held(placed, env));

/** The codes of failures that do not depend on the submission. */
const said: readonly string[] = ['token_malformed', 'address_without_topic'];

function held({ output, place }: PlacedOutput, env: Environment): readonly Diagnosis[] {
  try {
    output.message?.(nothing, {
      fields: nothing.values,
      formId: nothing.formId,
      submittedAt: '',
      env: (name) => read(env, name),
    });
    return [];
  } catch (error) {
    if (!(error instanceof ClientError && said.includes(error.code))) return [];
    const remedy = 'Nothing is delivered like this. Copy it anew, as the service shows it.';
    return [failure(place, error.message, remedy)];
  }
}

const nothing: Job = {
  id: '',
  requestId: '',
  formId: '',
  receivedAt: 0,
  values: new Map(),
  payload: [],
  files: noFiles,
};
