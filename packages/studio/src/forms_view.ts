import type { Form, Locale } from '@form-relay/core/index';
import { labelOf } from '@form-relay/core/kit';

export const titleOf = (form: Form, locale: Locale): string =>
  form.title === undefined ? labelOf({ name: form.id }, locale) : locale.text(form.title);
