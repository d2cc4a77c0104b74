/** How a config writes formulas and currencies. */
import type { Schema } from '@form-relay/core/index';
import {
  array,
  condition,
  didYouMean,
  jsonSchemaOf,
  object,
  optionalBlock,
  required,
  schema,
  shown,
  textSchema,
} from '@form-relay/core/kit';
import type { Case } from './checks.ts';
import { type ParsedFormula, parseFormula } from './formula.ts';

const formula = textSchema(
  (source, at): ParsedFormula | undefined => {
    const parsed = parseFormula(source);
    if (parsed.ok) return parsed.value;
    const { message, ...more } = parsed.error;
    return at.error(message, more);
  },
  { title: 'formula', type: ['string', 'number'] },
);

const cases = array(
  object(
    {
      when: optionalBlock(
        'The condition under which this value counts, as in `visible_when`. The last case may have none.',
        condition,
      ),
      value: required('The formula that counts then.', formula),
    },
    '{when: {field: kind, is: student}, value: guests * 40}',
  ),
  { least: 1 },
);

export const formulaOrCases: Schema<readonly Case[]> = schema(
  () => ({ anyOf: [jsonSchemaOf(formula), jsonSchemaOf(cases)] }),
  (value, at) => {
    if (Array.isArray(value)) {
      const read = cases(value, at);
      for (const [index, one] of value.entries())
        if (index < value.length - 1 && typeof one === 'object' && one !== null && !one.when)
          at.in(index).error(
            'this case always holds, so those below never count; give it a `when`, or move it to the end',
          );
      return read?.flatMap((one, index) => ({ ...one, path: [index, 'value'] }));
    }
    const always = formula(value, at);
    return always && [{ value: always, path: [] }];
  },
);

const isCurrency = (code: string) => Intl.supportedValuesOf('currency').includes(code);

const signs: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY', euro: 'EUR' };

function currencyMeantBy(word: string): string | undefined {
  const near = signs[word.toLowerCase()] ?? word.toUpperCase();
  return isCurrency(near) ? near : undefined;
}

export const currency = textSchema(
  (code, at) =>
    isCurrency(code)
      ? code
      : at.error(
          `found ${shown(code, at)}; expected a currency code of ISO 4217, such as EUR${didYouMean(currencyMeantBy(code))}`,
        ),
  {
    title: 'currency',
    type: 'string',
    pattern: '^[A-Z]{3}$',
    errorMessage: 'Expected a currency code of ISO 4217, such as EUR.',
  },
);
