/** `/api/v1/range.js`: shows the values of sliders. Only forms with a slider load it (load_parts.ts). */
import { showValues } from './show_values.ts';

export function attach(form: HTMLFormElement, _: HTMLFormElement, send: typeof fetch): typeof fetch {
  showValues(form);
  return send;
}
