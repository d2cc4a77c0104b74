/** Texts with parameters: a table's keys are codes with the names of their parameters, such as `field_twice(name)`. */

/** The code in a key. */
export type CodeIn<Key> = Key extends `${infer Code}(${string})` ? Code : Key;

/** The parameters in a key. Those that `Types` does not name are strings. */
export type ParamsIn<Key, Types> = Key extends `${string}(${infer Names})`
  ? { readonly [Name in NamesIn<Names>]: Name extends keyof Types ? Types[Name] : string }
  : Readonly<Record<never, never>>;

type NamesIn<Names> = Names extends `${infer Name}, ${infer Others}` ? Name | NamesIn<Others> : Names;

/** The texts of a table, by code. */
export const textsOf = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).map(([key, text]) => [key.split('(', 1)[0] ?? '', text]));

/** The forms of `{name|form}`, by name. */
export type Forms = Readonly<Record<string, (value: never) => unknown>>;

/** Fills in each `{name}` and `{name|form}`. A form that is named like a parameter is its default. */
export const fill = (text: string, params: object, forms: Forms): string =>
  text.replaceAll(/\{(\w+)(?:\|(\w+))?\}/g, (whole, name: string, form = name) => {
    if (!Object.hasOwn(params, name)) return whole;
    const value = params[name as never];
    return String(Object.hasOwn(forms, form) ? forms[form]?.(value) : value);
  });
