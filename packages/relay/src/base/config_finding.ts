import type { Finding, FindingArgs, FindingCode } from './finding_words.ts';
import type { Path } from './place.ts';

/** Their words are read when there is something to say: a config that is fine needs none of them. */
export type {
  Finding,
  FindingArgs,
  FindingCode,
  KeyHome,
  NamedCheck,
  Neighbour,
  PlainCode,
  Within,
} from './finding_words.ts';

export const finding = <C extends FindingCode>(
  code: C,
  path: Path,
  ...[params]: FindingArgs<C>
): Finding => ({ code, path, params: params ?? {} });
