import * as v from 'valibot';
import type { Schema } from '../schema/any_schema.ts';
import { wrong } from '../schema/issue.ts';
import { template } from '../schema/kinds.ts';
import type { Template } from '../template/render.ts';

/** A secret, which stands in the environment alone. `variable`: as which name, for example. */
export const secretTemplate = (variable: string): Schema<Template> =>
  v.pipe(
    template(),
    v.check(({ fieldNames }) => fieldNames.size === 0, wrong('secret_submitted')),
    v.check(
      ({ fieldNames, envNames, defaults }) =>
        fieldNames.size > 0 || (envNames.size > 0 && [...defaults].every((text) => text === '')),
      wrong('secret_literal', { variable }),
    ),
  );
