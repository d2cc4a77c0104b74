/** Checks for authors of plug-ins, with any test runner: `for (const { name, run } of outputContract({ … })) test(name, run);` */

export { type FeatureContract, featureContract } from './feature_contract.ts';
export { type FieldContract, fieldContract } from './field_contract.ts';
export {
  type Arrival,
  type Behaviour,
  type Destination,
  type HttpDestination,
  httpDestination,
  type OutputContract,
  outputContract,
} from './output_contract.ts';
export { type SignalContract, signalContract } from './signal_contract.ts';
export { type StoreContract, serveCommands, storeContract } from './store_contract.ts';
export type { Check } from './try_relay.ts';
export { type RelayTrial, type TriedCommand, type TriedRelay, tryCommand, tryRelay } from './try_relay.ts';
