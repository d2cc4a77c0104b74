import * as v from 'valibot';
import type { Condition } from '../base/condition.ts';
import { wrong } from './issue.ts';
import { optional, required, section } from './keys.ts';
import { flag, name, texts } from './kinds.ts';

const keys = {
  field: required('The field that decides.', name()),
  is: optional('The value, or one of the values, that it must hold.', texts()),
  is_not: optional('The value, or the values, that it must not hold.', texts()),
  filled: optional('`true`: it must hold something; `false`: it must be empty.', flag()),
};

export const condition = () =>
  v.pipe(
    section(keys, '{field: topic, is: Other}'),
    v.check(
      ({ is, is_not, filled }) => [is, is_not, filled].filter((test) => test !== undefined).length === 1,
      wrong('condition_without_one_test'),
    ),
    v.transform(({ field, is, is_not, filled }): Condition => {
      if (is) {
        const holds = (values: readonly string[]) => values.some((value) => is.includes(value));
        return { field, test: 'is', values: is, holds };
      }
      if (is_not) {
        const holds = (values: readonly string[]) => !values.some((value) => is_not.includes(value));
        return { field, test: 'is_not', values: is_not, holds };
      }
      const holds = (values: readonly string[]) => values.some((value) => value !== '') === filled;
      return { field, test: filled ? 'filled' : 'empty', values: [], holds };
    }),
  );
