/** For authors of plug-ins: `for (const { name, run } of outputContract({ … })) test(name, run);`, with any runner. */

export { type FeatureContract, featureContract } from './feature_contract.ts';
export { type FieldContract, fieldContract } from './field_contract.ts';
export { type OutputContract, outputContract } from './output_contract.ts';
export { type StoreContract, storeContract } from './store_contract.ts';
export type { Check } from './trial.ts';
