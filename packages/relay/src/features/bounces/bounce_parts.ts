/** Code of a config that has `bounces`. */
export { bouncesSchema } from './bounce_keys.ts';
export { bounceWarnings } from './bounce_warnings.ts';
export { secretsOf, variablesOf } from './providers/index.ts';
