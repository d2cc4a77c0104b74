import type { Config } from '../../packages/core/src/config.ts';

/** The meaning of a config, as far as all versions should agree: each form's fields, outputs and features. */
export const shapeOf = ({ forms }: Config) =>
  Object.fromEntries(
    [...forms].map(([id, form]) => [
      id,
      {
        fields: form.fields.map(
          ({ name, type, required }) => `${name}: ${type}${required ? ', required' : ''}`,
        ),
        outputs: form.outputs.map(({ type }) => type),
      },
    ]),
  );
