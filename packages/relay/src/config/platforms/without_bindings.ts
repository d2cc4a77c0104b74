import { err } from '../../base/result.ts';
import { yamlOf } from '../built/built_text.ts';
import type { Admit } from '../cache.ts';
import { readDocument } from '../yaml/document.ts';
import { storesOfCloudflare } from './stores_of_cloudflare.ts';

/** Rejects a config with a store that is bound on Cloudflare only: each delivery to keep would be lost, each place refused. */
export const withoutBindings: Admit = async (result, text, file) => {
  const stores = result.ok ? storesOfCloudflare(result.value) : [];
  if (stores.length === 0) return result;
  const yaml = yamlOf(text);
  const document = readDocument(yaml);
  const { locateIn } = await import('../locate.ts');
  return err(document.ok ? locateIn(yaml, file, document.value, stores) : []);
};
