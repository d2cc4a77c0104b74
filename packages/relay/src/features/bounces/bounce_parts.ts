/** Code of a config that has `bounces`. */
export { bouncesSchema, bounceWarnings } from './bounce_keys.ts';
export { secretsOf, variablesOf } from './providers/index.ts';
