/** Finds curly quotes from word processors, which YAML treats as text. */

import { type Finding, finding, type Path } from '../schema/finding.ts';

type Spot = Pick<Finding, 'path' | 'aboutKey'>;

const { code, params } = finding('quotes_not_straight', []);

/** The finding, or its cause: a curly quote at the start of the value or key. */
export const orCurlyQuotes = (found: Finding, config: unknown): Finding =>
  /^[“”„‟‘’‚‛]/.test(textAt(found, config)) ? { ...found, code, params, within: undefined } : found;

function textAt({ path, aboutKey }: Spot, config: unknown): string {
  if (aboutKey) return String(path.at(-1));
  let value = config;
  for (const step of path) {
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
  }
  return typeof value === 'string' ? value : '';
}

/**
 * Texts that keep their curly quotes. `isPlain` says whether a value is unquoted; quotes around it would keep them on
 * purpose.
 */
export function curlyQuotesKept(config: unknown, isPlain: (at: Spot) => boolean): readonly Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<unknown>();
  const tell = (text: string, at: Spot) => {
    if (/^[“”„‟].+[“”]$|^[‘’‚‛].+[‘’]$/s.test(text) && isPlain(at))
      findings.push({ ...finding('quotes_kept', at.path), ...at, severity: 'warning' });
  };
  const walk = (value: unknown, path: Path) => {
    if (typeof value === 'string') return tell(value, { path });
    // Report a value once, however many aliases it has.
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [key, item] of Object.entries(value)) {
      const inner = [...path, Array.isArray(value) ? Number(key) : key];
      tell(key, { path: inner, aboutKey: true });
      walk(item, inner);
    }
  };
  walk(config, []);
  return findings;
}
