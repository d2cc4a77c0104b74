import { say } from '../schema/finding_words.ts';
import { spotFinder } from './excerpt.ts';
import type { Problem } from './problem.ts';
import { misreadOf } from './yaml/parser_error.ts';
import type { Misread, Refused } from './yaml/places.ts';

/** Why a text cannot be read as YAML. Quotes nothing of it: without its structure, nothing tells which parts are secrets. */
export function locateMisread(yaml: string, file: string, why: Misread | Refused): Problem[] {
  const { finding, place } = misreadOf(why);
  const { lineNumber, column } = spotFinder(yaml)(place.offset);
  const at = { file, line: lineNumber, column: column + 1, path: '' };
  return [{ severity: 'error', ...at, code: finding.code, message: say(finding), excerpt: '' }];
}
