import type { Plugin } from '@form-relay/core/plugin';
import { checkedPlugin } from './checked_plugin.ts';
import type { MakePlugin } from './kit.ts';

/** Loads a unit of the catalogue, which is made and checked as a plug-in from outside is. A module of its own, since only configs with a unit need it. */
export const loadUnit = async (load: () => Promise<{ readonly default: MakePlugin }>) => {
  const { default: make } = await load();
  return { plugin: (): Plugin => checkedPlugin(make) };
};
