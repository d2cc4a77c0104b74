/** Failures of the core and its clients, for tests that cause them. */

import { ClientError, failures, outputWords } from '../../packages/base/src/client_error.ts';
import { awsWords } from '../../packages/clients/src/aws/sign.ts';
import { oauth2Words } from '../../packages/clients/src/oauth2.ts';
import { smtpWords } from '../../packages/clients/src/smtp/reply.ts';
import { words } from '../../packages/stores/src/failures.ts';

export * from '../../packages/base/src/client_error.ts';
/** The failure of work that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<ClientError> {
  const error = await work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ClientError);
  return error as ClientError;
}

export const failed = failures({ ...words, ...outputWords, ...awsWords, ...oauth2Words, ...smtpWords });
