import { type Values, withoutEmpty } from '../base/values.ts';
import type { Template, TemplateContext } from '../schema/template.ts';
import type { Payload } from '../submission.ts';

/** How an output's keys get their values, worked out once when the config loads. */
export interface PayloadPlan {
  readonly key: string;
  readonly fieldName: string | undefined;
  readonly fixed: Template | undefined;
}

interface Mapped {
  readonly mapping?: '*' | ReadonlyMap<string, string> | undefined;
  readonly static?: ReadonlyMap<string, Template> | undefined;
}

export function planPayload(
  { mapping, static: fixed }: Mapped,
  declared: readonly string[],
): readonly PayloadPlan[] {
  const mapped = mapping === '*' ? new Map(declared.map((name) => [name, name])) : mapping;
  const keys = new Set([...(mapped?.keys() ?? []), ...(fixed?.keys() ?? [])]);
  return [...keys]
    .sort(byCodePoint)
    .map((key) => ({ key, fieldName: mapped?.get(key), fixed: fixed?.get(key) }));
}

/** SPEC: Rules for `mapping` and `static`. A static value that renders empty overwrites nothing. */
export function buildPayload(
  plan: readonly PayloadPlan[],
  values: Values,
  templateContext: TemplateContext,
): Payload {
  const payload: [string, readonly string[]][] = [];
  for (const { key, fieldName, fixed } of plan) {
    const text = fixed?.render(templateContext) ?? '';
    if (text !== '') {
      payload.push([key, [text]]);
    } else if (fieldName !== undefined) {
      const filled = withoutEmpty(values.get(fieldName) ?? []);
      if (filled.length > 0) payload.push([key, filled]);
    }
  }
  return payload;
}

/** The order of UTF-8 bytes, which UTF-16 order is not for characters beyond U+FFFF. No two keys are the same. */
export function byCodePoint(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}
