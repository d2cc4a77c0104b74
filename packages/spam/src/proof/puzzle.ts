/** The puzzle that a form's token carries, if it carries one. */
import type { TokenExtras, TokenRequest } from '@form-relay/core/index';
import { clientOf } from '@form-relay/core/kit';
import { type Challenge, hardness, makeChallenge } from './challenge.ts';
import { askedOf, isChallenged } from './challenged.ts';
import type { Proof } from './index.ts';
import type { ProofMemory } from './memory.ts';

/** `least`: its size, whatever the form asks for just now. */
export function puzzleFor(
  proof: Proof,
  asked: TokenRequest,
  memory: ProofMemory,
  least?: number,
): Challenge | undefined {
  const { settings, services, now, formId } = asked;
  const most = least ?? sizeFor(proof, asked, memory);
  if (most === 0 || settings.formTokenSecret === '') return undefined;
  const puzzle = { nonce: services.uuid(), expiresAt: now + proof.ttlMs, most };
  return makeChallenge(settings.formTokenSecret, formId, puzzle);
}

/** How large its number may be. */
function sizeFor(proof: Proof, token: TokenRequest, { pressure }: ProofMemory): number {
  const { formId, request, settings, services, outcome, sent } = token;
  const asks = askedOf(proof, outcome, sent);
  // Visitors who solve a captcha, or type a number, need no puzzle.
  if (asks === 'captcha' || asks === 'number') return 0;
  const client = request && clientOf(request, settings);
  const { when } = proof;
  const isNeeded = when === 'always' || (when === 'auto' && pressure.isHigh(formId, client, services.now));
  const size = isNeeded ? hardness.usual : 0;
  if (asks !== 'proof_of_work') return size;
  // The form may have stopped asking since.
  const isUsual = isChallenged(outcome) && outcome.isUsual;
  return Math.max(size, isUsual ? hardness.usual : hardness.challenged);
}

export function puzzleExtras(
  proof: Proof,
  asked: TokenRequest,
  memory: ProofMemory,
): TokenExtras | undefined {
  const challenge = puzzleFor(proof, asked, memory);
  return (
    challenge && {
      attributes: {
        'data-challenge': JSON.stringify(challenge),
        'data-proof-field': proof.field,
        'data-ttl-ms': proof.ttlMs,
      },
      json: { challenge, proof_field: proof.field },
      isDemanded: askedOf(proof, asked.outcome, asked.sent) === 'proof_of_work',
    }
  );
}
