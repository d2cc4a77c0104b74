/** Says what the mistakes of a config mean, and where they stand. Loaded for configs that have some. */
import type { Diagnostic, Path } from '@form-relay/schema/diagnostics';
import type { Schema } from '@form-relay/schema/schema';
import type { Document } from '../document.ts';
import { locate } from '../locate.ts';
import { hideSecrets } from '../mask.ts';
import { misreadOf } from '../misread.ts';
import type { Misread, Refused } from '../places.ts';
import type { Problem } from '../problem.ts';

import { adviseOnKey, homesOf } from './unknown_keys.ts';
import { adviseOnWord } from './vocabulary.ts';

/** What could have been meant. */
export interface Known {
  readonly config: Schema<unknown>;
  readonly form: Schema<unknown>;
}

/** The errors of a config, reduced to the first cause of each. */
export function explain(
  text: string,
  file: string,
  document: Document,
  errors: readonly Diagnostic[],
  { config, form }: Known,
): readonly Problem[] {
  const whole = { config: document.value, homes: homesOf(config, form) };
  // What is told of one place comes before its unknown keys.
  const inOrder = [...errors.filter(isAboutValue), ...errors.filter((one) => !isAboutValue(one))];
  const advised = inOrder.map((one) => adviseOnKey(one, whole));
  return locateIn(text, file, 'error', document, firstCauses(advised));
}

const isAboutValue = ({ unknownKey }: Diagnostic) => unknownKey === undefined;

/** Diagnostics with their places in a text that was read as YAML. */
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

/** Why a text cannot be read as YAML. Quotes nothing of it: without its structure, nothing tells which parts are secrets. */
export function explainMisread(text: string, file: string, why: Misread | Refused): readonly Problem[] {
  const { code, message, place } = misreadOf(why);
  const [problem] = locate(text, file, 'error', [{ path: [], code, message }], () => place);
  return problem ? [{ ...problem, excerpt: '' }] : [];
}

/** Drops errors that follow from others: a misnamed key is not also missing. */
function firstCauses(errors: readonly Diagnostic[]): readonly Diagnostic[] {
  const isMeant = finderOf(errors.flatMap(({ meantAs }) => (meantAs ? [meantAs] : [])));
  // A no-break space makes all structure after it uncertain.
  const isBlurred = errors.some(({ code }) => code === 'no_break_space');
  return errors.filter(({ code, path }) => !(code === 'key_missing' && (isBlurred || isMeant(path))));
}

interface Steps extends Map<string | number, Steps> {
  isEnd?: boolean;
}

/** Compares paths step by step: as texts, they would be as long as all their names, which may be long. */
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
