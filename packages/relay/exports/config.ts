export type { ConfigCache } from '../src/config/cache.ts';
export { decides } from '../src/config/cross_checks.ts';
export { excerpt, printable, spotFinder } from '../src/config/excerpt.ts';
export { hideSecrets, ownPath, secretFinder } from '../src/config/hide_secrets.ts';
export { loadAllParts } from '../src/config/late_parts.ts';
export { isSecret, mask, maskLine, soundFinder } from '../src/config/mask.ts';
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
export { readDocument, textsIn } from '../src/config/yaml/document.ts';
export { say } from '../src/schema/finding_words.ts';
export { didYouMean, nearest } from '../src/schema/suggestion.ts';
