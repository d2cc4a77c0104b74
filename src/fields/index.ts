import { checkbox } from './checkbox.ts';
import { checkboxes } from './checkboxes.ts';
import { date } from './date.ts';
import { email } from './email.ts';
import { hidden } from './hidden.ts';
import { number } from './number.ts';
import { radios } from './radios.ts';
import { select } from './select.ts';
import { tel } from './tel.ts';
import { text } from './text.ts';
import { textarea } from './textarea.ts';
import { url } from './url.ts';

/** Every field type. Adding one is one file and one line here. */
export const fieldTypes = [
  text,
  email,
  textarea,
  hidden,
  url,
  tel,
  number,
  date,
  select,
  radios,
  checkboxes,
  checkbox,
] as const;
