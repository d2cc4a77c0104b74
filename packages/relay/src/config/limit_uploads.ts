import type { Form } from '../form.ts';
import type { Config } from './parse.ts';

/** The config for a relay that can take no larger bodies than this, whatever its forms say: they say so to visitors. */
export function limitUploads(config: Config, mostBytes: number): Config {
  const { forms } = config;
  if (forms.late) return { ...config, forms: forms.late.changed((form) => limited(form, mostBytes)) };
  if (![...forms.values()].some(({ bodyLimit }) => bodyLimit > mostBytes)) return config;
  return { ...config, forms: mapped(forms, (form) => limited(form, mostBytes)) };
}

function limited(form: Form, mostBytes: number): Form {
  if (form.bodyLimit <= mostBytes) return form;
  return {
    ...form,
    bodyLimit: mostBytes,
    fields: form.fields.map((field) => field.within?.(mostBytes) ?? field),
    variants: mapped(form.variants, (variant) => limited(variant, mostBytes)),
  };
}

const mapped = <T>(map: ReadonlyMap<string, T>, change: (value: T) => T): ReadonlyMap<string, T> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));
