/** Why a config that is YAML does not load. */
import type { Finding } from '../schema/finding.ts';
import { firstCauses, notFollowing } from './first_causes.ts';
import { asWritten, orTextsByLanguage, rawForms } from './form_languages.ts';
import { locateIn } from './locate.ts';
import type { Problem } from './problem.ts';
import type { Misfit } from './rejected.ts';
import { unknownKey } from './unknown_keys.ts';
import { warningsBesideErrors } from './warnings_beside_errors.ts';

export const explain = (rejected: Misfit): readonly Problem[] => tell(rejected, () => []);

/** The same, and the warnings that it would have beside them. */
export const explainWithWarnings = (rejected: Misfit): readonly Problem[] =>
  tell(rejected, ({ first, written }, errors) => {
    const warnings = Object.entries(rawForms(first)).flatMap(([id, form]) =>
      warningsBesideErrors(id, form, first),
    );
    return notFollowing(
      errors,
      warnings.map((one) => asWritten(one, written)),
    );
  });

function tell(
  rejected: Misfit,
  beside: (misfit: Misfit, errors: readonly Finding[]) => readonly Finding[],
): readonly Problem[] {
  const { yaml, file, document, first, written, misfits, strays, found } = rejected;
  const unknown = strays.map((stray) => asWritten(unknownKey(stray, first), written));
  const errors = firstCauses([...misfits, ...unknown, ...found], document.value).map(orTextsByLanguage);
  return locateIn(yaml, file, document, [...errors, ...beside(rejected, errors)]);
}
