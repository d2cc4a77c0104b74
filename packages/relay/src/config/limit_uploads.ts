import { inputsOf } from '../fields/field.ts';
import type { Form } from '../form.ts';

type Forms = ReadonlyMap<string, Form>;

/** Lowers the limits of forms to what the relay can receive, and the limits that visitors read with them. */
export function limitUploads<C extends { readonly forms: Forms }>(config: C, mostBytes: number): C {
  const { forms } = config;
  if (![...forms.values()].some(({ bodyLimit }) => bodyLimit > mostBytes)) return config;
  return { ...config, forms: mapped(forms, (form) => limited(form, mostBytes)) };
}

function limited(form: Form, mostBytes: number): Form {
  if (form.bodyLimit <= mostBytes) return form;
  const fields = form.fields.map((field) => field.within?.(mostBytes) ?? field);
  return {
    ...form,
    bodyLimit: mostBytes,
    fields,
    inputs: inputsOf(fields),
    variants: mapped(form.variants, (variant) => limited(variant, mostBytes)),
  };
}

const mapped = (forms: Forms, change: (form: Form) => Form): Forms =>
  new Map([...forms].map(([name, form]) => [name, change(form)]));
