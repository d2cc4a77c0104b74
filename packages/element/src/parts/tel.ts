/** `/api/v1/tel.js`: checks telephone numbers with a country, and writes them as people of that country do. */
import type { CountryCode } from 'libphonenumber-js/min';
import { phoneNumberIn } from './phone_number.ts';

export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  const known = new WeakSet<Element>();
  const take = (field: Element) => {
    known.add(field);
    const [country, number] = field.querySelectorAll<HTMLInputElement>('select, input');
    if (!country || !number) return;
    const look = () => {
      const typed = number.value.trim();
      const found = phoneNumberIn(
        typed.normalize('NFKC'),
        (country.value || undefined) as CountryCode | undefined,
      );
      const isWrong = typed !== '' && /^[ -~]+$/.test(typed) && !found;
      number.setCustomValidity(isWrong ? (number.dataset.wrong ?? '') : '');
      if (!found) return;
      // The number says its country.
      if (found.country && found.country !== country.value && /[+＋]/.test(typed))
        country.value = found.country;
      number.value = found.country === country.value ? found.formatNational() : found.formatInternational();
    };
    // Only when the visitor leaves the field, so that nothing moves while they type.
    for (const control of [number, country]) control.addEventListener('change', look);
    number.addEventListener('input', () => number.setCustomValidity(''));
  };
  const takeAll = () => {
    for (const field of form.querySelectorAll('.field-phone')) if (!known.has(field)) take(field);
  };
  new MutationObserver(takeAll).observe(form, { childList: true, subtree: true });
  takeAll();
  return send;
}
