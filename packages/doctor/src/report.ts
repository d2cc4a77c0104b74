import type { Diagnosis } from '@form-relay/mail-dns';
import type { Examination } from './examine.ts';

/** The counts of all verdicts, and each diagnosis. */
export function reportOf(examinations: readonly Examination[]) {
  const diagnoses = examinations.flatMap(({ title, diagnoses }) =>
    diagnoses.map((diagnosis) => ({ examination: title, ...diagnosis })),
  );
  return { ...countsOf(examinations), diagnoses };
}

export function countsOf(examinations: readonly Examination[]) {
  const verdicts = examinations.flatMap(({ diagnoses }) => diagnoses.map(({ verdict }) => verdict));
  const countOf = (wanted: Diagnosis['verdict']) => verdicts.filter((verdict) => verdict === wanted).length;
  return { ok: countOf('ok'), warnings: countOf('warning'), failures: countOf('failure') };
}
