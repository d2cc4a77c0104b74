import type { Check } from './check.ts';

const dropped = { kind: 'dropped', by: 'honeypot', reason: 'the decoy field was filled' } as const;

/** Any non-empty value in the decoy field ends the submission (SPEC: Submission rules 1). */
export const honeypot: Check = ({ values }, { form }) => {
  const decoy = form.spam?.honeypot;
  const isFilled = decoy !== undefined && values.get(decoy)?.some((value) => value !== '');
  return isFilled ? dropped : undefined;
};
