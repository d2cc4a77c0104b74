import { type Finding, finding, type Path } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { rawForms } from './form_languages.ts';
import { formKeys } from './schema.ts';

/** Reduces several findings from one mistake to the one that says what to do. */

/**
 * Drops errors that follow from others: a misnamed key is not also missing, and a form's key beside its form is not a
 * malformed form.
 */
export function firstCauses(findings: readonly Finding[], config: unknown): readonly Finding[] {
  const { keys, unnamed, explained } = keysBesideForms(config);
  const all = [...keys, ...findings];
  const meant = new PathSet(all.flatMap(({ meantAs }) => (meantAs ? [meantAs] : [])));
  // A no-break space makes all structure after it uncertain.
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
  return [...withoutName, ...keys, ...rest];
}

const hasParts = ({ fields, outputs }: Record<string, unknown>) =>
  Array.isArray(fields) || Array.isArray(outputs);
const isForm = (form: unknown) => isMap(form) && hasParts(form);
const hasFormKey = (form: unknown) =>
  isMap(form) && Object.keys(form).some((key) => Object.hasOwn(formKeys, key));

/**
 * Finds keys of a form in the place of forms: outdented below their form, or below no form because its name is missing.
 */
function keysBesideForms(config: unknown): {
  readonly keys: readonly Finding[];
  readonly unnamed: readonly string[];
  /** Entries of `forms` that need no other finding. */
  readonly explained: ReadonlySet<string>;
} {
  const forms = rawForms(config);
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
    // An empty form lost its outdented keys.
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

/** A form and one of its fields, as a text. */
const inForm = ({ path }: Finding, name: string) => JSON.stringify([path[1], name]);
const inStep = (one: Finding) => inForm(one, (one.params as { readonly name: string }).name);

/** A field that is misspelled in a step is not also missing there. */
function namesMeantInSteps(one: Finding): readonly string[] {
  const { near } = one.params as { readonly near?: string };
  return one.code === 'field_undeclared' && one.path[2] === 'steps' && near !== undefined
    ? [inForm(one, near)]
    : [];
}

/** Compares paths step by step: as texts, they would be as long as all their names, which may be long. */
export class PathSet {
  readonly #root: Node = { steps: new Map(), isIn: false };

  constructor(paths: Iterable<Path>) {
    for (const path of paths) {
      let node = this.#root;
      for (const step of path) {
        const next = node.steps.get(step) ?? { steps: new Map(), isIn: false };
        node.steps.set(step, next);
        node = next;
      }
      node.isIn = true;
    }
  }

  has(path: Path): boolean {
    let node: Node | undefined = this.#root;
    for (const step of path) node = node?.steps.get(step);
    return node?.isIn ?? false;
  }
}

interface Node {
  readonly steps: Map<string | number, Node>;
  isIn: boolean;
}
