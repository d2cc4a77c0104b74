export { parseDays, parseDuration } from '../src/schema/duration.ts';
export { findingOf } from '../src/schema/issue.ts';
export { httpUrl, isMap } from '../src/schema/kinds.ts';
export { withLinks } from '../src/schema/linked_text.ts';
export { buckets, featuresOf, mostCharacters, type Seeds, seedsOf } from '../src/schema/lists/features.ts';
export {
  type Model,
  oddsOf,
  partOf,
  type Step,
  strengthOf,
  writeModel,
} from '../src/schema/lists/model.ts';
export { readList } from '../src/schema/lists/read_list.ts';
export { looksLikeSecretArn } from '../src/schema/settings/kinds.ts';
export { type Removed, sayRemoved } from '../src/schema/settings/removed_variables.ts';
export {
  type Environment,
  readSettings,
  SettingError,
  type SettingProblem,
  type Settings,
} from '../src/schema/settings/settings.ts';
export { addressInWords } from '../src/schema/socket_address.ts';
export { functions } from '../src/schema/template/functions.ts';
export { parseTemplate } from '../src/schema/template/parse.ts';
export type { Template } from '../src/schema/template/render.ts';
export { references, scopeOf } from '../src/schema/template/scope.ts';
