/** `/api/v1/computed.js`: works out results while visitors type. Only forms with a computed field load it (load_parts.ts). */
import { showResults } from './show_results.ts';

export function attach(form: HTMLFormElement, facts: HTMLFormElement, send: typeof fetch): typeof fetch {
  showResults(form, facts);
  return send;
}
