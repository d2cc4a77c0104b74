/** A template context that has only the given values. */

import type { Values } from '../../base/src/values.ts';
import { templateContext } from '../../core/src/outputs/delivery.ts';
import type { Services } from '../../core/src/services.ts';
import type { Page } from '../src/template.ts';

interface Labelled {
  readonly name: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

export const scopeOf = (
  formId: string,
  { values, receivedAt, page }: { values: Values; receivedAt: number; page?: Page },
  services: Pick<Services, 'env'>,
  fields: readonly Labelled[] = [],
) =>
  templateContext(formId, values, receivedAt, services, {
    page,
    labels: (name) => {
      const { options = [] } = fields.find((field) => field.name === name) ?? {};
      const sent = values.get(name) ?? [];
      return sent.map((one) => options.find(({ value }) => value === one)?.label ?? one).join(', ');
    },
  });
