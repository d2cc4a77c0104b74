/** Starts a product with the suite's forms, and tests promises on it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Adapter, features, type ProductConfig } from './adapter.ts';
import { declared, environment, needsOf } from './forms.ts';
import { startHttpSink } from './http_sink.ts';
import type { ProductPromise, Setting } from './promise.ts';
import { startSmtpSink } from './smtp_sink.ts';
import { Trial, type World } from './trial.ts';

const plenty = { rate: 100_000, burst: 100_000 };

const settings: Readonly<
  Record<Setting, Pick<ProductConfig, 'tokenSecret' | 'allowedOrigins' | 'throttle'>>
> = {
  usual: { tokenSecret: 'promises', allowedOrigins: ['*'], throttle: plenty },
  strict: {
    tokenSecret: '',
    allowedOrigins: ['https://site.example', 'https://other.example'],
    throttle: plenty,
  },
  throttled: { tokenSecret: 'promises', allowedOrigins: ['*'], throttle: { rate: 10, burst: 20 } },
};

/** `patienceMs`: how long an answer, a delivery or the end of a connection may take. */
export async function startSuite(adapter: Adapter, patienceMs = 30_000) {
  const { offers = features } = adapter;
  const [http, smtp] = await Promise.all([startHttpSink(), startSmtpSink()]);
  const folder = await mkdtemp(join(tmpdir(), 'promises-'));
  const forms = declared({ http: http.origin, smtpPort: smtp.port }, offers);
  const stops: (() => Promise<void>)[] = [];

  const start = async (setting: Setting, forms: ProductConfig['forms']) => {
    const own = await mkdtemp(join(folder, 'product-'));
    const config = { ...settings[setting], env: environment, forms, folder: own };
    const { url, stop } = await adapter.start(config);
    stops.push(stop);
    return { config, url: new URL(url), stop };
  };

  const startWith: World['startWith'] = async (forms, look) => {
    const own = await start('usual', forms).catch(() => undefined);
    return own && look(own.url).finally(own.stop);
  };

  const started = new Map<Setting, ReturnType<typeof start>>();
  const product = (setting: Setting) => {
    const one = started.get(setting) ?? start(setting, forms);
    started.set(setting, one);
    return one;
  };

  return {
    isOffered: ({ needs = [], forms = [] }: ProductPromise): boolean =>
      [...needs, ...forms.flatMap(needsOf)].every((feature) => offers.includes(feature)) &&
      (adapter.run !== undefined || !needs.includes('cli')),

    /** Throws if the promise is broken. The returned function checks again after all promises. */
    try: async ({ setting = 'usual', check }: ProductPromise): Promise<() => void> => {
      const { config, url } = await product(setting);
      const looks: (() => void)[] = [];
      const afterwards = (look: () => void) => void looks.push(look);
      await check(new Trial({ adapter, url, config, http, smtp, patienceMs, startWith, afterwards }));
      return () => {
        for (const look of looks) look();
      };
    },

    stop: async (): Promise<void> => {
      await Promise.allSettled(stops.map((stop) => stop()));
      await Promise.all([http.close(), smtp.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
}
