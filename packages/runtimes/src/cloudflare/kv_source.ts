import { posix } from 'node:path';
import { ownersText } from '@form-relay/base/owners_text';
import { err } from '@form-relay/base/result';
import { withTimeout } from '@form-relay/base/with_timeout';
import type { ConfigSource } from '@form-relay/config/source';

interface KvNamespace {
  get(key: string, type: 'arrayBuffer'): Promise<ArrayBuffer | null>;
}

const readMs = 8_000;

/** A config in Workers KV. Sibling files have keys next to it: `lists/blocked.txt` next to `webform.yaml`. */
export function kvSource(name: string, key: string, binding: (name: string) => unknown): ConfigSource {
  const read: ConfigSource['readSibling'] = async (key) => {
    const namespace = binding(name) as KvNamespace | undefined;
    if (typeof namespace?.get !== 'function')
      return err(`no KV namespace is bound to "${name}"; add it to kv_namespaces in wrangler.jsonc`);
    const reading = namespace.get(key, 'arrayBuffer').catch(() => 'failed' as const);
    const found = await withTimeout(readMs, reading, () => undefined);
    if (found === 'failed') return err('KV answered with an error');
    if (found === undefined) return err(`KV did not answer within ${readMs} ms`);
    if (found !== null) return ownersText(Buffer.from(found));
    return err(
      `there is no "${key}"; write it with: npx wrangler kv key put --remote --binding ${name} ${key} --path ${posix.basename(key)}`,
    );
  };
  return {
    name: `kv:${name}/${key}`,
    read: () => read(key),
    readSibling: (path) => read(posix.join(posix.dirname(key), path)),
  };
}
