/** Names of files, as the core cleans them. */
export { cleanName, distinctName, endingOf, withEnding } from '@form-relay/core/kit';
