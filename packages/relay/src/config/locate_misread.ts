import { hideBroken } from './hide_broken.ts';
import { locate } from './locate.ts';
import type { Problem } from './problem.ts';
import { misreadOf } from './yaml/parser_error.ts';
import type { Misread, Refused } from './yaml/places.ts';

/** Why a text cannot be read as YAML. */
export function locateMisread(yaml: string, file: string, why: Misread | Refused): Problem[] {
  const { finding, place } = misreadOf(why, hideBroken);
  const lineEnd = yaml.indexOf('\n', place.offset);
  const upToIt = lineEnd < 0 ? yaml : yaml.slice(0, lineEnd + 1);
  return locate(hideBroken(upToIt), file, [finding], () => place);
}
