import type { Form } from '../../form.ts';

/** The output whose archive gets what was turned away. */
export const archiveOf = ({ outputs }: Pick<Form, 'outputs'>) => {
  for (const [index, { target }] of outputs.entries()) {
    if (target?.via === 'folder' || target?.via === 's3') return { index, target };
  }
  return undefined;
};
