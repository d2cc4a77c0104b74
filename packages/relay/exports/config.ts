export type { ConfigCache } from '../src/config/cache.ts';
export { decides } from '../src/config/cross_checks.ts';
export { excerpt, printable, spotFinder } from '../src/config/excerpt.ts';
export { filesNamedIn } from '../src/config/files_named.ts';
export {
  maskText,
  ownPath,
  secretValues,
  type Written,
  type WrittenText,
  writtenIn,
} from '../src/config/hide_secrets.ts';
export { loadAllParts } from '../src/config/late_parts.ts';
export { maskLine } from '../src/config/mask.ts';
export {
  keyProblems,
  neededVariables,
  variablesUsedIn,
  weaknessOf,
} from '../src/config/needed_variables.ts';
export {
  type Config,
  inspectInLanguages,
  type ParseResult,
  parseWithoutLists,
} from '../src/config/parse.ts';
export { isOfCloudflare } from '../src/config/platforms/cloudflare.ts';
export { formatPath, formatProblem, type Problem } from '../src/config/problem.ts';
export { field } from '../src/config/schema.ts';
export { beside, type ConfigSource, configSource, type ReadBeside } from '../src/config/source.ts';
export { say } from '../src/schema/finding_words.ts';
export { didYouMean, nearest } from '../src/schema/suggestion.ts';
