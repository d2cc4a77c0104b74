/** Where one mistake makes several findings, the one that says what to do about it. */
import { type Finding, finding } from '../base/config_finding.ts';
import type { Path } from '../base/place.ts';
import { isMap } from '../schema/kinds.ts';
import { orCurlyQuotes } from './curly_quotes.ts';
import { PathSet } from './path_set.ts';
import { formKeys } from './schema.ts';

/** Of errors: a key is not missing as well as misnamed, and a form's key beside its form is not a wrong form. */
export function firstCauses(findings: readonly Finding[], config: unknown): readonly Finding[] {
  const { keys, unnamed, explained } = keysBesideForms(config);
  const all = [...keys, ...findings];
  const meant = new PathSet(all.flatMap(({ meantAs }) => (meantAs ? [meantAs] : [])));
  // Nobody can tell what stands where after a space that is none.
  const isBlurred = findings.some(({ code }) => code === 'no_break_space');
  const inOtherLanguages = new PathSet(
    findings.flatMap(({ code, path }) => (code === 'language_not_of_form' ? [path.slice(0, -1)] : [])),
  );
  const steps = new Set(findings.flatMap(namesMeantInSteps));
  const rest = findings.filter(
    (one) =>
      !(one.code === 'key_missing' && (isBlurred || meant.has(one.path))) &&
      !(one.code === 'not_text' && inOtherLanguages.has(one.path)) &&
      !(one.path[0] === 'forms' && explained.has(String(one.path[1]))) &&
      !(one.code === 'field_in_no_step' && steps.has(inStep(one))),
  );
  const [key] = unnamed;
  const withoutName =
    key === undefined ? [] : [{ ...finding('form_without_name', ['forms', key], { key }), aboutKey: true }];
  return [...withoutName, ...keys, ...rest.map((one) => orCurlyQuotes(one, config))];
}

const hasParts = ({ fields, outputs }: Record<string, unknown>) =>
  Array.isArray(fields) || Array.isArray(outputs);
const isForm = (form: unknown) => isMap(form) && hasParts(form);
const hasFormKey = (form: unknown) =>
  isMap(form) && Object.keys(form).some((key) => Object.hasOwn(formKeys, key));

/**
 * The keys of a form that stand where forms should: one level too high below their form, or below no form at all, so
 * that its name is missing.
 */
function keysBesideForms(config: unknown): {
  readonly keys: readonly Finding[];
  readonly unnamed: readonly string[];
  /** What stands where forms should, and needs no other finding. */
  readonly explained: ReadonlySet<string>;
} {
  const forms = isMap(config) && isMap(config.forms) ? config.forms : {};
  const keys: Finding[] = [];
  const explained = new Set<string>();
  let form: string | undefined;
  for (const [key, value] of Object.entries(forms)) {
    if (!Object.hasOwn(formKeys, key) || isForm(value)) {
      form = value === null || hasFormKey(value) ? key : undefined;
      continue;
    }
    if (form === undefined) continue;
    const owner = forms[form];
    if (isMap(owner) && Object.hasOwn(owner, key)) continue;
    explained.add(key);
    // A form with nothing in it has what stands below it, one level too high.
    if (owner === null) explained.add(form);
    const home = { in: 'forms', form } as const;
    keys.push({
      ...finding('key_elsewhere', ['forms', key], { key, near: undefined, home }),
      aboutKey: true,
      meantAs: ['forms', form, key],
    });
  }
  if (keys.length > 0 || !hasParts(forms)) return { keys, unnamed: [], explained };
  const unnamed = Object.keys(forms).filter((key) => !isForm(forms[key]));
  return { keys, unnamed, explained: new Set(unnamed) };
}

/** A form and a field of it, as one text. */
const inForm = ({ path }: Finding, name: string) => JSON.stringify([path[1], name]);
const inStep = (one: Finding) => inForm(one, (one.params as { readonly name: string }).name);

/** A field whose name is mistyped in a step is not missing there as well. */
function namesMeantInSteps(one: Finding): readonly string[] {
  const { near } = one.params as { readonly near?: string };
  return one.code === 'field_undeclared' && one.path[2] === 'steps' && near !== undefined
    ? [inForm(one, near)]
    : [];
}

/** Of warnings: none about what is an error, and none about a map that lacks only the right name of a key. */
export function notFollowing(errors: readonly Finding[], warnings: readonly Finding[]): readonly Finding[] {
  const told = new PathSet(errors.map(asPath));
  const lacking = new PathSet(errors.flatMap(({ meantAs }) => (meantAs ? [meantAs.slice(0, -1)] : [])));
  return warnings.filter((one) => !told.has(asPath(one)) && !lacking.has(one.path));
}

/** A key and its value are two things. */
const asPath = ({ path, aboutKey }: Finding): Path => [aboutKey ? 'key' : 'value', ...path];
