/** Conditions as JSON Schema of a submission. */
import type { Condition, Test } from '@form-relay/base/condition';
import type { Field } from '@form-relay/core/index';
import { type JsonSchema, wholePattern } from './field_schema.ts';

/**
 * A submission of which a condition holds. Tests that JSON Schema cannot say count as passed: a schema may demand too much, but lets nothing
 * pass that the relay refuses.
 */
export function conditionSchema(
  condition: Condition,
  fields: readonly Field[],
  isNegated = false,
): JsonSchema {
  if ('not' in condition) return conditionSchema(condition.not, fields, !isNegated);
  if ('field' in condition) return testSchema(condition, fields, isNegated);
  const isAll = 'all' in condition;
  const parts = (isAll ? condition.all : condition.any).map((one) => conditionSchema(one, fields, isNegated));
  return isAll === isNegated ? { anyOf: parts } : { allOf: parts };
}

function testSchema(test: Test, fields: readonly Field[], isNegated: boolean): JsonSchema {
  const decider = fields.find(({ name }) => name === test.field);
  const own = decider && !decider.derive ? passed(test, decider) : undefined;
  const schema = own && isNegated ? { not: own } : (own ?? {});
  // No test of a hidden field holds.
  const { visible_when: shown } = decider ?? {};
  return shown ? { allOf: [conditionSchema(shown, fields), schema] } : schema;
}

/** The submissions that pass a test; `undefined`: JSON Schema cannot say which. */
function passed({ field, test, values }: Test, decider: Field): JsonSchema | undefined {
  const { takesSeveral, comparedAs, offered } = decider;
  const isNumber = comparedAs === 'number' && !offered;
  const has = (value: JsonSchema | undefined): JsonSchema | undefined =>
    value && { required: [field], properties: { [field]: takesSeveral ? { contains: value } : value } };
  const not = (schema: JsonSchema | undefined) => schema && { not: schema };
  switch (test) {
    case 'filled':
      return { required: [field] };
    case 'empty':
      return { not: { required: [field] } };
    case 'is':
      return has(equal(values, decider));
    case 'is_not':
      return not(has(equal(values, decider)));
    case 'at_least':
      return isNumber ? has({ minimum: Number(values[0]) }) : undefined;
    case 'at_most':
      return isNumber ? has({ maximum: Number(values[0]) }) : undefined;
    case 'matches': {
      const pattern = isNumber ? undefined : wholePattern(values[0] ?? '');
      return pattern === undefined ? undefined : has({ pattern });
    }
    default:
      return undefined;
  }
}

function equal(wanted: readonly string[], { offered, canonical, comparedAs }: Field): JsonSchema | undefined {
  if (offered) return { enum: offered.filter((value) => wanted.includes(canonical(value))) };
  if (comparedAs === 'number') return { enum: wanted.map(Number) };
  if (comparedAs === 'email' || comparedAs === 'relay') return undefined;
  const words = wanted.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return { pattern: `^\\s*(?:${words.join('|')})\\s*$` };
}
