import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min';

export { getCountryCallingCode, isSupportedCountry, type PhoneNumber } from 'libphonenumber-js/min';

/** The typed number in ASCII digits, without surrounding text. A `+` overrides the chosen country. */
export function phoneNumberIn(typed: string, country: CountryCode | undefined): PhoneNumber | undefined {
  const plain = typed.replace(/^tel:/i, '').replace(/^[([]\s*((?:\+|00)[\s\d]*\d)\s*[)\]]/, '$1 ');
  // `901820 / 21` stands for two numbers with different endings; use the first.
  const [, first] = /^([^/]*\d)\s*\/\s*\d{1,3}$/.exec(plain) ?? [];
  return first !== undefined && numberIn(first, country) ? undefined : numberIn(plain, country);
}

function numberIn(plain: string, country: CountryCode | undefined): PhoneNumber | undefined {
  const found = parse(plain, country);
  // In most countries, 00 starts an international number, wherever the visitor is now.
  return found || !plain.startsWith('00') ? found : parse(plain.replace('00', '+'), undefined);
}

function parse(plain: string, defaultCountry: CountryCode | undefined): PhoneNumber | undefined {
  const found = parsePhoneNumberFromString(plain, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  return found?.isValid() ? found : undefined;
}
