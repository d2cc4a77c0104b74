import type { Diagnostic, Path } from '../../schema/diagnostics.ts';
import { isMap } from '../../schema/schema.ts';
import { belowForm } from './homes.ts';

/**
 * Drops errors that follow from others: a misnamed key is not also missing, and a form's key beside its form is not a malformed
 * form.
 */
export function firstCauses(
  errors: readonly Diagnostic[],
  config: unknown,
  formKeys: object,
): readonly Diagnostic[] {
  const { keys, unnamed, explained } = keysBesideForms(config, formKeys);
  const meant = new PathSet([...keys, ...errors].flatMap(({ meantAs }) => (meantAs ? [meantAs] : [])));
  // A no-break space makes all structure after it uncertain.
  const isBlurred = errors.some(({ code }) => code === 'no_break_space');
  const rest = errors.filter(
    ({ code, path }) =>
      !(code === 'key_missing' && (isBlurred || meant.has(path))) &&
      !(path[0] === 'forms' && explained.has(String(path[1]))),
  );
  const [key] = unnamed;
  const withoutName: readonly Diagnostic[] =
    key === undefined
      ? []
      : [
          {
            code: 'form_without_name',
            path: ['forms', key],
            aboutKey: true,
            message: `the form has no name: write one, such as \`contact:\`, on a line above ${key}, and indent what belongs to it`,
          },
        ];
  return [...withoutName, ...keys, ...rest];
}

const hasParts = ({ fields, outputs }: Record<string, unknown>) =>
  Array.isArray(fields) || Array.isArray(outputs);
const isForm = (form: unknown) => isMap(form) && hasParts(form);

/** Finds keys of a form in the place of forms: outdented below their form, or below no form because its name is missing. */
function keysBesideForms(
  config: unknown,
  formKeys: object,
): {
  readonly keys: readonly Diagnostic[];
  readonly unnamed: readonly string[];
  /** Entries of `forms` that need no other mistake. */
  readonly explained: ReadonlySet<string>;
} {
  const forms = isMap(config) && isMap(config.forms) ? config.forms : {};
  const hasFormKey = (form: unknown) =>
    isMap(form) && Object.keys(form).some((key) => Object.hasOwn(formKeys, key));
  const keys: Diagnostic[] = [];
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
    keys.push({
      code: 'key_elsewhere',
      path: ['forms', key],
      message: `unknown key here; ${key} belongs ${belowForm(form)}`,
      aboutKey: true,
      meantAs: ['forms', form, key],
    });
  }
  if (keys.length > 0 || !hasParts(forms)) return { keys, unnamed: [], explained };
  const unnamed = Object.keys(forms).filter((key) => !isForm(forms[key]));
  return { keys, unnamed, explained: new Set(unnamed) };
}

/** Compares paths step by step: as texts, they would be as long as all their names, which may be long. */
class PathSet {
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
