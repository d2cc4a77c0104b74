/** Why a config that is YAML does not load. */
import type { Finding } from '../schema/finding.ts';
import { firstCauses } from './first_causes.ts';
import { asWritten, orTextsByLanguage, type WrittenForm } from './form_languages.ts';
import { locateIn } from './locate.ts';
import type { Problem } from './problem.ts';
import type { StrayKey } from './stray_keys.ts';
import { unknownKey } from './unknown_keys.ts';
import type { Document } from './yaml/document.ts';
import type { Misread, Refused } from './yaml/places.ts';

export function explain(rejected: Misfit): readonly Problem[] {
  const { yaml, file, document, first, written, misfits, strays, found } = rejected;
  const unknown = strays.map((stray) => asWritten(unknownKey(stray, first), written));
  const errors = firstCauses([...misfits, ...unknown, ...found], document.value).map(orTextsByLanguage);
  return locateIn(yaml, file, document, errors);
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
