/** Explains the mistakes in a config, and locates them. Loaded only if there are mistakes. */
import type { Diagnostic, Path } from '@form-relay/schema/diagnostics';
import { isMap, type Schema } from '@form-relay/schema/schema';
import type { Document } from '../document.ts';
import { locate } from '../locate.ts';
import { hideSecrets } from '../mask.ts';
import { misreadOf } from '../misread.ts';
import type { Misread, Refused } from '../places.ts';
import type { Problem } from '../problem.ts';

import { adviseOnKey, adviseOnWord, belowForm, homesOf } from './unknown_keys.ts';

/** The schemas and names that mistakes are compared with. */
export interface Known {
  readonly config: Schema<unknown>;
  readonly form: Schema<unknown>;
  /** The environment variables that the relay reads. */
  readonly variables: readonly string[];
}

/** The errors in a config, reduced to their first causes. */
export function explain(
  text: string,
  file: string,
  document: Document,
  errors: readonly Diagnostic[],
  { config, form, variables }: Known,
): readonly Problem[] {
  const whole = { config: document.value, homes: homesOf(config, form), variables };
  // Errors about a value come before errors about its unknown keys.
  const inOrder = [...errors.filter(isAboutValue), ...errors.filter((one) => !isAboutValue(one))];
  const advised = inOrder.map((one) => adviseOnKey(one, whole));
  const first = firstCauses(advised, document.value, form.properties ?? {});
  return locateIn(text, file, 'error', document, first);
}

const isAboutValue = ({ unknownKey }: Diagnostic) => unknownKey === undefined;

/** Locates diagnostics in a text that was read as YAML. */
export const locateIn = (
  text: string,
  file: string,
  severity: Problem['severity'],
  document: Document,
  diagnostics: readonly Diagnostic[],
): readonly Problem[] =>
  diagnostics.length === 0
    ? []
    : locate(hideSecrets(text, document), file, severity, diagnostics.map(adviseOnWord), (one) =>
        document.places.of(one),
      );

/**
 * Explains why a text cannot be read as YAML. Never quotes the text, because without structure, nothing tells
 * which parts are secret.
 */
export function explainMisread(text: string, file: string, why: Misread | Refused): readonly Problem[] {
  const { code, message, place } = misreadOf(why);
  const [problem] = locate(text, file, 'error', [{ path: [], code, message }], () => place);
  return problem ? [{ ...problem, excerpt: '' }] : [];
}

/**
 * Drops errors that follow from others: a misnamed key is not also missing, and a form's key outside its form
 * does not make a malformed form.
 */
function firstCauses(
  errors: readonly Diagnostic[],
  config: unknown,
  formKeys: object,
): readonly Diagnostic[] {
  const { reported, explained } = strayFormKeys(config, formKeys);
  const isMeant = finderOf([...reported, ...errors].flatMap(({ meantAs }) => (meantAs ? [meantAs] : [])));
  // A no-break space makes the structure after it uncertain.
  const isBlurred = errors.some(({ code }) => code === 'no_break_space');
  const rest = errors.filter(
    ({ code, path }) =>
      !(code === 'key_missing' && (isBlurred || isMeant(path))) &&
      !(path[0] === 'forms' && explained.has(String(path[1]))),
  );
  return [...reported, ...rest];
}

const hasParts = ({ fields, outputs }: Record<string, unknown>) =>
  Array.isArray(fields) || Array.isArray(outputs);
const isForm = (form: unknown) => isMap(form) && hasParts(form);

/** Finds a form's keys in the place of forms: outdented below their form, or without a form because its name is missing. */
function strayFormKeys(
  config: unknown,
  formKeys: object,
): {
  readonly reported: readonly Diagnostic[];
  /** Entries of `forms` whose other errors follow from this. */
  readonly explained: ReadonlySet<string>;
} {
  const forms = isMap(config) && isMap(config.forms) ? config.forms : {};
  const isKey = (key: string) => Object.hasOwn(formKeys, key);
  const reported: Diagnostic[] = [];
  const explained = new Set<string>();
  let form: string | undefined;
  for (const [key, value] of Object.entries(forms)) {
    if (!isKey(key) || isForm(value)) {
      form = value === null || (isMap(value) && Object.keys(value).some(isKey)) ? key : undefined;
      continue;
    }
    if (form === undefined) continue;
    const owner = forms[form];
    if (isMap(owner) && Object.hasOwn(owner, key)) continue;
    explained.add(key);
    // A form is empty because its keys were outdented.
    if (owner === null) explained.add(form);
    reported.push({
      code: 'key_elsewhere',
      path: ['forms', key],
      message: `unknown key here; ${key} belongs ${belowForm(form)}`,
      aboutKey: true,
      meantAs: ['forms', form, key],
    });
  }
  if (reported.length > 0 || !hasParts(forms)) return { reported, explained };
  const unnamed = Object.keys(forms).filter((key) => !isForm(forms[key]));
  const [key = ''] = unnamed;
  const nameMissing: Diagnostic = {
    code: 'form_without_name',
    path: ['forms', key],
    aboutKey: true,
    message: `the form has no name: write one, such as \`contact:\`, on a line above ${key}, and indent the form's keys`,
  };
  return { reported: unnamed.length > 0 ? [nameMissing] : [], explained: new Set(unnamed) };
}

interface Steps extends Map<string | number, Steps> {
  isEnd?: boolean;
}

/** Compares paths step by step. As texts, they would be as long as all their names, which may be long. */
function finderOf(paths: readonly Path[]): (path: Path) => boolean {
  const root: Steps = new Map();
  for (const path of paths) {
    let steps = root;
    for (const step of path) {
      const next: Steps = steps.get(step) ?? new Map();
      steps.set(step, next);
      steps = next;
    }
    steps.isEnd = true;
  }
  return (path) => path.reduce<Steps | undefined>((steps, step) => steps?.get(step), root)?.isEnd === true;
}
