import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Adapter, type Feature, features } from './adapter.ts';

/** Reads an adapter: the default export of a JavaScript file. Throws with what is wrong with it, in words. */
export async function loadAdapter(file: string): Promise<Adapter> {
  const path = pathToFileURL(resolve(file)).href;
  const module = await import(path).catch((error: Error) => {
    throw new Error(`the adapter ${file} cannot be loaded: ${error.message}`);
  });
  // From CommonJS, the exports come as the default.
  const adapter = module.default?.default ?? module.default;
  if (typeof adapter?.start !== 'function')
    throw new Error(`the adapter ${file} has no default export with a function \`start\``);
  if (typeof adapter.name !== 'string') throw new Error(`the adapter ${file} has no \`name\``);
  const unknown = (adapter.offers ?? []).filter((one: Feature) => !features.includes(one));
  if (unknown.length > 0)
    throw new Error(`the adapter ${file} offers ${unknown.join(', ')}; there are: ${features.join(', ')}`);
  return adapter;
}
