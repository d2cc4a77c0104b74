/** What a field must hold for something to apply: another field (`visible_when`), or an output (`when`). */
export interface Condition {
  readonly field: string;
  readonly test: 'is' | 'is_not' | 'filled' | 'empty';
  /** Of `is` and `is_not`: what the field must hold one of, or none of. */
  readonly values: readonly string[];
  holds(values: readonly string[]): boolean;
}

/** In words for the owner, such as `kind is sales or support`. */
export function inWords({ field, test, values }: Pick<Condition, 'field' | 'test' | 'values'>): string {
  const any = values.map((value) => (value === '' ? 'empty' : value)).join(' or ');
  const tests = { is: `is ${any}`, is_not: `is not ${any}`, filled: 'is filled in', empty: 'is empty' };
  return `${field} ${tests[test]}`;
}
