import type { Plugin } from '@form-relay/core/plugin';
import { checkedPlugin } from './checked_plugin.ts';
import type { MakePlugin } from './kit.ts';

/**
 * Loads a unit of the catalogue, which is created and checked like a third-party plug-in. A separate module,
 * because only configs that use a unit need it.
 */
export const loadUnit = async (load: () => Promise<{ readonly default: MakePlugin }>) => {
  const { default: make } = await load();
  return { plugin: (): Plugin => checkedPlugin(make) };
};
