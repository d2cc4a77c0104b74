/** `form-relay/client`: sends a form, and solves the puzzles that the relay requires. */
import { sendProving, submitForm as submit } from '../element/client.ts';
import type { Given } from './puzzle.ts';

export type { SubmitError, SubmitResult, SubmitToken, SubmitValue } from '../element/client.ts';

/**
 * Sends a form to the relay. Never rejects. If the relay asks for a proof of work (`spam.proof_of_work`,
 * `spam.doubt`), computes it and sends the form again.
 *
 * @param url Where to send the form: `https://forms.example.com/api/v1/submit/contact`.
 * @param send Replaces `fetch`, for example to show the progress.
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
