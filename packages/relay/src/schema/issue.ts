/** valibot passes on words alone, so each finding travels as a property of its issue. */
import * as v from 'valibot';
import { type Finding, type FindingArgs, type FindingCode, finding } from '../base/config_finding.ts';
import type { Path } from '../base/place.ts';
import type { Result } from '../base/result.ts';

type Issue = v.BaseIssue<unknown>;

/** The message of a schema or a check: what is wrong with the value that it was given. */
export const wrong =
  <C extends FindingCode>(code: C, ...[params]: WithoutFound<FindingArgs<C>>) =>
  (issue: Issue): string =>
    carry(issue, { code, path: [], params: { found: issue.input, ...params } });

type WithoutFound<Args extends readonly unknown[]> = Args extends readonly [(infer P)?]
  ? Record<never, never> extends Omit<P, 'found'>
    ? [params?: Omit<P, 'found'>]
    : [params: Omit<P, 'found'>]
  : never;

/** For valibot's `addIssue`: a finding whose path begins at the value that is checked. */
export const report = (finding: Finding) => ({ message: (issue: Issue) => carry(issue, finding) });

/** A step of a pipe that makes something of a value, or finds why it cannot: a reason, or several. */
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

/** The finding that an issue carries, its path from where the parsing began. */
export function findingOf(issue: Issue): Finding {
  const { finding: found = finding('not_understood', []) } = issue as { readonly finding?: Finding };
  const path = (issue.path ?? []).map(({ key }) => key) as Path;
  return { ...found, path: [...path, ...found.path] };
}
