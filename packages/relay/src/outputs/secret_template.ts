import * as v from 'valibot';
import type { Schema } from '../schema/any_schema.ts';
import { wrong } from '../schema/issue.ts';
import { template } from '../schema/kinds.ts';
import type { Template } from '../schema/template/render.ts';

/** A secret, which stands in the environment alone. `variable`: as which name, for example. */
export const secretTemplate = (variable: string): Schema<Template> =>
  v.pipe(
    template(),
    v.check(({ isSubmitted }) => !isSubmitted, wrong('secret_submitted')),
    v.check(
      ({ isSubmitted, envNames, defaults }) =>
        isSubmitted || (envNames.size > 0 && [...defaults].every((text) => text === '')),
      wrong('secret_literal', { variable }),
    ),
  );
