import type { Counts } from '@form-relay/stores/store';

/** Counts in memory, for dry runs. */
export function createMemoryCounts(): Counts {
  const texts = new Map<string, { readonly text: string; readonly version: string }>();
  return {
    read: async (key) => texts.get(key) ?? { text: undefined, version: '0' },
    write: async (key, text, { version }) => {
      if ((texts.get(key)?.version ?? '0') !== version) return false;
      texts.set(key, { text, version: String(Number(version) + 1) });
      return true;
    },
    remove: async (key) => {
      texts.delete(key);
    },
  };
}
