/** `/api/v1/tel.js`: checks telephone numbers with a country, and formats them as is usual there. */
import type { CountryCode } from 'libphonenumber-js/min';
import { phoneNumberIn } from './phone_number.ts';

export function attach(form: HTMLFormElement, _?: HTMLFormElement, send = fetch): typeof fetch {
  const controlsAt = ({ target }: Event) =>
    (target as Element).closest('.field-phone')?.querySelectorAll<HTMLInputElement>('select, input') ?? [];
  const look = (event: Event) => {
    const [country, number] = controlsAt(event);
    if (!country || !number) return;
    const typed = number.value.trim();
    const found = phoneNumberIn(
      typed.normalize('NFKC'),
      (country.value || undefined) as CountryCode | undefined,
    );
    const isWrong = typed !== '' && /^[ -~]+$/.test(typed) && !found;
    number.setCustomValidity(isWrong ? (number.dataset.wrong ?? '') : '');
    if (!found) return;
    // The number includes its country code.
    if (found.country && found.country !== country.value && /[+＋]/.test(typed))
      country.value = found.country;
    number.value = found.country === country.value ? found.formatNational() : found.formatInternational();
  };
  // Formats only when the visitor leaves the field, so that nothing moves while they type. Runs before other listeners.
  form.addEventListener('change', look, true);
  form.addEventListener('input', (event) => controlsAt(event)[1]?.setCustomValidity(''), true);
  return send;
}
