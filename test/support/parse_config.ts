import { ok } from '../../packages/relay/src/base/result.ts';
import { explain, explainWithWarnings } from '../../packages/relay/src/config/describe_problems.ts';
import { findWarnings } from '../../packages/relay/src/config/find_warnings.ts';
import {
  build,
  type Config,
  checkConfig,
  type Lacking,
  nothingBeside,
  type ParseResult,
} from '../../packages/relay/src/config/parse.ts';
import type { Rejected } from '../../packages/relay/src/config/rejected.ts';

/** As `parseInLanguages`, without waiting: with English in place of other languages' words, and with the late parts that were loaded by now. */
export const parseConfig = (text: string, file: string): ParseResult => parse(text, file, explain);

/** As `inspectInLanguages`, in the same way. */
export const inspectConfig = (text: string, file: string, lacking?: Lacking): ParseResult =>
  parse(text, file, explainWithWarnings, lacking);

function parse(
  text: string,
  file: string,
  told: (rejected: Rejected) => ReturnType<typeof explain>,
  lacking?: Lacking,
): ParseResult {
  const checked = checkConfig(text, file, lacking);
  return checked.ok
    ? ok(build(text, file, checked.value, nothingBeside))
    : { ok: false, error: told(checked.error) };
}

/** The result of `config.warnings()` for such a config. */
export const warningsIn = (config: Config, text: string, file: string) =>
  findWarnings(text, file, config, nothingBeside);
