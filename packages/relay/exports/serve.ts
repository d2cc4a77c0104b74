export { createRelay, type Relay, type RelayOptions } from '../src/relay.ts';
export { closeServer } from '../src/runtimes/node/closing.ts';
export { createOwnerKey, type OwnerKey } from '../src/runtimes/node/owner_key.ts';
export { createNodeServer } from '../src/runtimes/node/server.ts';
export { readSecretArns, type SecretVariable } from '../src/runtimes/read_secret_arns.ts';
export { ownSecrets, secretReader } from '../src/runtimes/secret_arns.ts';
