/** The value that a field must hold for another field (`visible_when`) or an output (`when`) to apply. */
export interface Condition {
  readonly field: string;
  readonly test: 'is' | 'is_not' | 'filled' | 'empty';
  /** For `is` and `is_not`: the field must hold one of them, or none. */
  readonly values: readonly string[];
  holds(values: readonly string[]): boolean;
}

/** The condition in words for the owner, such as `kind is sales or support`. */
export function inWords({ field, test, values }: Pick<Condition, 'field' | 'test' | 'values'>): string {
  const any = values.map((value) => (value === '' ? 'empty' : value)).join(' or ');
  const tests = { is: `is ${any}`, is_not: `is not ${any}`, filled: 'is filled in', empty: 'is empty' };
  return `${field} ${tests[test]}`;
}
