import type { ConfigCache } from '../config/cache.ts';
import type { Config } from '../config/parse.ts';
import type { Form } from '../form.ts';

/** Changes each form of a config, in each of its languages. */
export function mapForms(cache: ConfigCache, change: (form: Form) => Form): ConfigCache {
  const changed = (form: Form): Form => ({
    ...change(form),
    variants: new Map([...form.variants].map(([language, variant]) => [language, change(variant)])),
  });
  const known = new WeakMap<Config, Config>();
  const mapped = (config: Config): Config => {
    const made = known.get(config) ?? {
      ...config,
      forms: new Map([...config.forms].map(([id, form]) => [id, changed(form)])),
    };
    known.set(config, made);
    return made;
  };
  return {
    sourceName: cache.sourceName,
    get state() {
      return cache.state;
    },
    get current() {
      return cache.current && mapped(cache.current);
    },
    get: async () => {
      const config = await cache.get();
      return config && mapped(config);
    },
  };
}
