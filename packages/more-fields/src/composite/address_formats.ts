import { asciiDigits } from '@form-relay/core/kit';

/**
 * How addresses are written where, as far as it is certain: the order of their lines, and what letters need to arrive.
 * The Universal Postal Union lists both; a country that is not here has a form that fits most, and no pattern.
 */

/** A: street, C: city, S: state or the like, Z: postal code; `|` begins a line. */
export interface AddressFormat {
  readonly lines: string;
  /** The letters of what cannot be missing. */
  readonly required: string;
  readonly regionLabel:
    | 'address_state'
    | 'address_province'
    | 'address_prefecture'
    | 'address_county'
    | 'address_region';
  readonly codeLabel: 'address_zip_code' | 'address_postcode' | 'address_postal_code';
  readonly isPostalCode: ((written: string) => boolean) | undefined;
}

const codes = (words: string): readonly string[] => words.split(' ');

const lines: readonly (readonly [countries: string, lines: string])[] = [
  [
    'AT BE BG CH CY CZ DE DK EE FI FR GL GR HR HU IL IS LI LU MA MC NL NO PL PT RO RS SE SI SK TN TR VA',
    'A|Z C',
  ],
  ['IT ES', 'A|Z C S'],
  ['US CA', 'A|C, S Z'],
  ['AU', 'A|C S Z'],
  ['NZ ZA TH', 'A|C Z'],
  ['GB GG IM JE', 'A|C|Z'],
  ['IE', 'A|C|S|Z'],
  ['BR', 'A|C-S|Z'],
  ['IN', 'A|C Z|S'],
  ['MX', 'A|Z C, S'],
  ['AR MY', 'A|Z C|S'],
  ['JP', 'Z|S C|A'],
  ['CN TW', 'Z|S C|A'],
  ['KR', 'S C|A|Z'],
  ['SG', 'A|Z'],
  ['HK MO', 'A|C|S'],
  ['AE QA', 'A|C|S'],
  // They have no postal codes.
  [
    'AG AO AW BF BI BJ BO BS BW BZ CD CF CG CI CK CM DJ DM ER FJ GA GD GM GQ GY KI KM ML MW NR NU RW SB SC SL SR ST TD TG TK TL TO TV UG VU YE ZW',
    'A|C|S',
  ],
];

/** States without towns that letters name. */
const cityStates = codes('GI HK MC MO SG VA');

const requiresCode = codes(
  'AT AU BE BG BR CA CH CY CZ DE DK EE ES FI FR GB GR HR HU IN IS IT JP LI LU MX NL NO NZ PL PT RO SE SG SI SK TR US ZA',
);
const requiresRegion = codes('AU BR CA JP US');

const regions: readonly (readonly [AddressFormat['regionLabel'], readonly string[]])[] = [
  ['address_state', codes('AU BR IN MX MY NG US VE')],
  ['address_province', codes('AR CA CN ES ID IT NL PH TH ZA')],
  ['address_prefecture', ['JP']],
  ['address_county', codes('GB IE')],
];

const zipCodes = codes('AS GU MP PH PR US VI');
const postcodes = codes('AU GB GG IM JE MY NL NZ PG');

const digits: readonly (readonly [length: number, countries: readonly string[]])[] = [
  [3, ['IS']],
  [4, codes('AT AU BE BG CH CY DK HU LI LU NO NZ PH SI ZA')],
  [5, codes('CZ DE EE ES FI FR GR HR ID IT KR MX MY SE SK TH TR UA')],
  [6, codes('CN IN RO RU SG')],
  [7, ['JP']],
  [8, ['BR']],
];

const patterns: Readonly<Record<string, RegExp>> = {
  CA: /^[A-Z]\d[A-Z]\d[A-Z]\d$/,
  GB: /^[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}$/,
  NL: /^\d{4}[A-Z]{2}$/,
  PL: /^\d{5}$/,
  PT: /^\d{4}(\d{3})?$/,
  US: /^\d{5}(\d{4})?$/,
};

/** A postal code in capitals, with digits and hyphens of ASCII, and British ones with their space. */
export const asciiCode = (written: string): string =>
  asciiDigits(written.normalize('NFKC'))
    .toUpperCase()
    .replaceAll(/(?<=\d)[\u2010-\u2015\u2212\u30fc](?=\d)/g, '-')
    .replace(/^([A-Z]{1,2}\d[A-Z\d]?) *(\d[A-Z]{2})$/, '$1 $2')
    .trim();

/** Without what people write around it: `D-10115`, `〒100-0001`. */
const plainCode = (written: string): string => asciiCode(written).replaceAll(/[^A-Z\d]/g, '');

function postalCodeTest(country: string): AddressFormat['isPostalCode'] {
  const length = digits.find(([, all]) => all.includes(country))?.[0];
  const pattern = length === undefined ? patterns[country] : new RegExp(`^[A-Z]{0,3}\\d{${length}}$`);
  return pattern && ((written) => pattern.test(plainCode(written)));
}

/** `undefined`: a country that nobody has chosen yet. */
export function addressFormat(country: string | undefined): AddressFormat {
  const is = (all: readonly string[]) => country !== undefined && all.includes(country);
  return {
    lines: lines.find(([all]) => is(codes(all)))?.[1] ?? 'A|C S|Z',
    required: ['A', !is(cityStates) && 'C', is(requiresCode) && 'Z', is(requiresRegion) && 'S']
      .filter(Boolean)
      .join(''),
    regionLabel: regions.find(([, all]) => is(all))?.[0] ?? 'address_region',
    codeLabel: is(zipCodes) ? 'address_zip_code' : is(postcodes) ? 'address_postcode' : 'address_postal_code',
    isPostalCode: country === undefined ? undefined : postalCodeTest(country),
  };
}
