import type { ProofEvidence } from '../../base/event.ts';
import { explainCaptcha } from '../captcha/explain_captcha.ts';

/** Puts the evidence of a puzzle, or of the captcha in its place, into words. */
export const explainProof = ({ code, captcha }: ProofEvidence): string =>
  captcha ? explainCaptcha(captcha) : words[code];

const words: Readonly<Record<ProofEvidence['code'], string>> = {
  solved: 'the puzzle is solved',
  answered: 'the question is answered',
  not_needed: 'no puzzle is asked for',
  without_script: 'there is no solution, which the form takes (without_script: allow)',
  missing: 'there is no solution: it was sent without the form’s script',
  malformed: 'what stands in the place of the solution is none',
  forged: 'the puzzle was not made by this relay with this FORM_TOKEN_SECRET',
  wrong: 'the solution is wrong',
  other_form: 'the solution is for another form',
  expired: 'the solution is too old (form_ttl)',
  used: 'the solution was sent before',
  too_easy: 'the solution is for an easier puzzle than the one asked for',
  no_secret: 'FORM_TOKEN_SECRET is not set',
  captcha_solved: 'the captcha is solved',
  captcha_failed: 'the captcha is not solved',
};
