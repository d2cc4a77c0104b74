/** The puzzle that a form's token carries, if it carries one. */
import type { TokenExtras, TokenRequest } from '@form-relay/core/index';
import { type Challenge, hardness, makeChallenge, proofField } from './challenge.ts';
import { asksIn, isChallenged } from './challenged.ts';
import type { Proof } from './index.ts';

/** `most`: how large its number may be. */
export function puzzleFor(proof: Proof, request: TokenRequest, most: number): Challenge | undefined {
  const { settings, services, now, formId } = request;
  if (most === 0 || settings.formTokenSecret === '') return undefined;
  const puzzle = { nonce: services.uuid(), expiresAt: now + proof.formToken.ttlMs, most };
  return makeChallenge(settings.formTokenSecret, formId, puzzle);
}

function sizeFor(proof: Proof, { outcome, sent }: TokenRequest): number {
  if (!asksIn(outcome, sent)) return proof.isForAll ? hardness.usual : 0;
  // The form may have stopped asking since.
  return isChallenged(outcome) && outcome.isUsual ? hardness.usual : hardness.challenged;
}

export function puzzleExtras(proof: Proof, request: TokenRequest): TokenExtras | undefined {
  const challenge = puzzleFor(proof, request, sizeFor(proof, request));
  return (
    challenge && {
      attributes: {
        'data-challenge': JSON.stringify(challenge),
        'data-ttl-ms': proof.formToken.ttlMs,
      },
      json: { challenge, proof_field: proofField },
      isDemanded: asksIn(request.outcome, request.sent),
    }
  );
}
