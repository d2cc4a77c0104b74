/** Says what the mistakes of a config mean, and where they stand. Loaded for configs that have some. */
import type { Diagnostic } from '../../schema/diagnostics.ts';
import { variables } from '../../settings.ts';
import { locate } from '../locate.ts';
import { hideSecrets } from '../mask.ts';
import type { Problem } from '../problem.ts';
import type { Registry } from '../registry.ts';
import type { Document } from '../yaml/document.ts';
import { misreadOf } from '../yaml/misread.ts';
import type { Misread, Refused } from '../yaml/places.ts';
import { firstCauses } from './first_causes.ts';

import { adviseOnKey, homesOf } from './unknown_keys.ts';
import { adviseOnWord } from './vocabulary.ts';

/** The errors of a config, reduced to the first cause of each. */
export function explain(
  text: string,
  file: string,
  document: Document,
  errors: readonly Diagnostic[],
  { config, form, plugins }: Pick<Registry, 'config' | 'form' | 'plugins'>,
): readonly Problem[] {
  const others = plugins.flatMap((plugin) => Object.values(plugin.variables ?? {}));
  const names = [...variables, ...others.map(({ name }) => name)];
  const whole = { config: document.value, homes: homesOf(config, form), variables: names };
  // What is told of one place comes before its unknown keys.
  const inOrder = [...errors.filter(isAboutValue), ...errors.filter((one) => !isAboutValue(one))];
  const advised = inOrder.map((one) => adviseOnKey(one, whole));
  const first = firstCauses(advised, document.value, form.properties ?? {});
  return locateIn(text, file, 'error', document, first);
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
