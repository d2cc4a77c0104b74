/** Where one mistake makes several findings, the one that says what to do about it. */
import { type Finding, finding } from '../config_finding.ts';
import type { Path } from '../place.ts';
import { isMap } from '../schema/kinds.ts';
import { orCurlyQuotes } from './curly_quotes.ts';
import { PathSet } from './path_set.ts';

/** Of errors: a key is not missing as well as misnamed, and a form without a name is not several wrong forms. */
export function firstCauses(findings: readonly Finding[], config: unknown): readonly Finding[] {
  const meant = new PathSet(findings.flatMap(({ meantAs }) => (meantAs ? [meantAs] : [])));
  const nameless = new Set(formWithoutName(config));
  const rest = findings.filter(
    ({ code, path }) =>
      !(code === 'key_missing' && meant.has(path)) && !(path[0] === 'forms' && nameless.has(String(path[1]))),
  );
  const [key] = nameless;
  const unnamed =
    key === undefined ? [] : [{ ...finding('form_without_name', ['forms', key], { key }), aboutKey: true }];
  return [...unnamed, ...rest.map((one) => orCurlyQuotes(one, config))];
}

/** The keys of a form that stand where forms should. */
function formWithoutName(config: unknown): readonly string[] {
  if (!isMap(config) || !isMap(config.forms)) return [];
  const { forms } = config;
  const hasParts = ({ fields, outputs }: Record<string, unknown>) =>
    Array.isArray(fields) || Array.isArray(outputs);
  if (!hasParts(forms)) return [];
  return Object.entries(forms).flatMap(([key, form]) => (isMap(form) && hasParts(form) ? [] : [key]));
}

/** Of warnings: none about what is an error, and none about a map that lacks only the right name of a key. */
export function notFollowing(errors: readonly Finding[], warnings: readonly Finding[]): readonly Finding[] {
  const told = new PathSet(errors.map(asPath));
  const lacking = new PathSet(errors.flatMap(({ meantAs }) => (meantAs ? [meantAs.slice(0, -1)] : [])));
  return warnings.filter((one) => !told.has(asPath(one)) && !lacking.has(one.path));
}

/** A key and its value are two things. */
const asPath = ({ path, aboutKey }: Finding): Path => [aboutKey ? 'key' : 'value', ...path];
