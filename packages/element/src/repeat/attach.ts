/** `/api/v1/repeat.js`: adds and removes entries. Only forms with a field of type repeat load it (load_parts.ts). */
import { repeatItems } from './repeat_items.ts';

export function attach(form: HTMLFormElement, _: HTMLFormElement, send: typeof fetch): typeof fetch {
  repeatItems(form);
  return send;
}
