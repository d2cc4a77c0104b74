/** The fields whose values may be stored for a visitor who continues later. */
import type { Field } from 'form-relay/plugin';

type Kept = Field & { readonly remember?: boolean };

/** Secrets, recognised by their `autocomplete`: passwords, codes and cards. */
const secret = /(^|\s)((current|new)-password|one-time-code|cc-\S+)\s*$/i;

const isKept = ({ remember, isReentered, type, autocomplete = '' }: Kept): boolean =>
  remember !== false &&
  !isReentered &&
  type !== 'hidden' &&
  autocomplete.trim().toLowerCase() !== 'off' &&
  !secret.test(autocomplete);

/** Fields that may be stored completely, or else those of their inputs that may be. */
export const keptFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter(isKept).flatMap((field) => {
    const inputs = field.inputs?.all ?? [];
    return inputs.every(isKept) ? field : inputs.filter(isKept);
  });

/** Whether a value was sent for the field, or for one of its inputs. */
export const isOf = (field: Field, name: string): boolean =>
  name === field.name || name.startsWith(`${field.name}.`);
