/** Findings travel as properties of valibot's issues, which only carry words themselves. */
import * as v from 'valibot';
import type { Result } from '../base/result.ts';
import { type Finding, type FindingArgs, type FindingCode, finding, type Path } from './finding.ts';

type Issue = v.BaseIssue<unknown>;

/** The message of a schema or check: a finding about the value that it rejects. */
export const wrong =
  <C extends FindingCode>(code: C, ...[params]: WithoutFound<FindingArgs<C>>) =>
  (issue: Issue): string =>
    carry(issue, { code, path: [], params: { found: issue.input, ...params } });

type WithoutFound<Args extends readonly unknown[]> = Args extends readonly [(infer P)?]
  ? Record<never, never> extends Omit<P, 'found'>
    ? [params?: Omit<P, 'found'>]
    : [params: Omit<P, 'found'>]
  : never;

/** For valibot's `addIssue`: a finding whose path starts at the checked value. */
export const report = (finding: Finding) => ({ message: (issue: Issue) => carry(issue, finding) });

/** A step of a pipe that transforms a value, or reports one or several findings. */
export const read = <T, U>(make: (value: T) => Result<U, Finding | readonly Finding[]>) =>
  v.rawTransform<T, U>(({ dataset, addIssue, NEVER }) => {
    const made = make(dataset.value);
    if (made.ok) return made.value;
    for (const one of [made.error].flat()) addIssue(report(one));
    return NEVER;
  });

function carry(issue: Issue, finding: Finding): string {
  Object.assign(issue, { finding });
  return finding.code;
}

/** An issue's finding, with its path from the root. */
export function findingOf(issue: Issue): Finding {
  const { finding: found = finding('not_understood', []) } = issue as { readonly finding?: Finding };
  const path = (issue.path ?? []).map(({ key }) => key) as Path;
  return { ...found, path: [...path, ...found.path] };
}
