/** Why a config that is YAML does not load. */
import type { Finding } from '../schema/finding.ts';
import { firstCauses, notFollowing } from './first_causes.ts';
import { asWritten, orTextsByLanguage, rawForms, type WrittenForm } from './form_languages.ts';
import { locateIn } from './locate.ts';
import type { Problem } from './problem.ts';
import type { StrayKey } from './stray_keys.ts';
import { unknownKey } from './unknown_keys.ts';
import { warningsBesideErrors } from './warnings_beside_errors.ts';
import type { Document } from './yaml/document.ts';
import type { Misread, Refused } from './yaml/places.ts';

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

/** A config that does not load, with all that it takes to say why. */
export type Rejected = { readonly yaml: string; readonly file: string } & (
  | { readonly why: Misread | Refused }
  | {
      readonly document: Document;
      /** The config in the first language of each form, and each form in all of them. */
      readonly first: unknown;
      readonly written: ReadonlyMap<string, WrittenForm>;
      /** In the order in which they are told: what the schema says, keys that it does not know, and all else. */
      readonly misfits: readonly Finding[];
      readonly strays: readonly StrayKey[];
      readonly found: readonly Finding[];
    }
);

/** A rejected config that is YAML: its values or keys are wrong. */
export type Misfit = Extract<Rejected, { document: unknown }>;
