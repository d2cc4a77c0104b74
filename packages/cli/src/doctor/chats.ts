import { ClientError } from '@form-relay/relay/base/client_error';
import { type Diagnosis, failure } from '@form-relay/relay/base/diagnosis';
import { noFiles } from '@form-relay/relay/base/files';
import type { Job } from '@form-relay/relay/base/job';
import type { Environment } from '@form-relay/relay/schema/settings/settings';
import type { Examine } from './examination.ts';
import { outputsThrough, type PlacedOutput, read } from './outputs.ts';

/** Whether what chats read from the environment are tokens and topics at all. What is not set is told elsewhere. */
export const examineChats: Examine = async ({ forms }, { env }) =>
  outputsThrough(forms, 'http').flatMap((placed) => held(placed, env));

/** Such that an output says it of any submission. */
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
