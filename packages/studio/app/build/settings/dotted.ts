/** A name that `.fields.` of a template can hold; others go through `values` (packages/core/src/schema/template/cursor.ts). */
export const isDotted = (name: string) => /^[\p{L}_][\p{L}\p{Nd}_]*(-+[\p{L}\p{Nd}_]+)*$/u.test(name);
