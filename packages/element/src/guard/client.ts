/** `form-relay/client`: sends a form, and solves what the relay asks for instead of an answer. */
import { sendProving, submitForm as submit } from '../element/client.ts';
import type { Given } from './puzzle.ts';

export type { SubmitError, SubmitResult, SubmitToken, SubmitValue } from '../element/client.ts';

/**
 * Sends a form to the relay. Never rejects. Where the relay asks for a proof of work (`spam.proof_of_work`,
 * `spam.doubt`), it is made, and the form sent once more.
 *
 * @param url Where the form is sent: `https://forms.example.com/api/v1/submit/contact`.
 * @param send What sends it in place of `fetch`, and can show how far that is.
 */
export const submitForm: typeof submit = (url, data, send = fetch) => submit(url, data, proving(send));

function proving(send: typeof fetch): typeof fetch {
  let proof: readonly [field: string, solution: string] | undefined;
  return sendProving(send, {
    prepare: async (body) => {
      if (proof) body.set(...proof);
    },
    take: async ({ challenge, proof_field: field = 'altcha' }: Given) => {
      if (!challenge) return;
      const { solve } = await import('./solve.ts');
      proof = [field, await solve(challenge)];
    },
  });
}
