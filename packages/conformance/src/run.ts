/** Tries each promise on a product, and says which it kept. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from '@form-relay/relay/config';
import { type Adapter, type Asked, features, type Running } from './adapter.ts';
import { areas } from './areas/index.ts';
import { Broken } from './broken.ts';
import { connect, send } from './client.ts';
import { declared, environment, needsOf, type Sinks } from './forms.ts';
import type { Area, ProductPromise, Reach, Setting } from './promise.ts';
import { startHttpSink } from './sinks/http_sink.ts';
import { startSmtpSink } from './sinks/smtp_sink.ts';
import { Trial, type World } from './trial.ts';

export interface Evidence {
  /** The last request before it was seen. */
  readonly request: string;
  readonly expected: string;
  readonly came: string;
}

export interface Verdict {
  readonly area: string;
  /** Stays when the sentence changes, such as `honeypot/silent`. */
  readonly id: string;
  readonly says: string;
  readonly from: string;
  readonly verdict: 'kept' | 'broken' | 'not_offered';
  readonly evidence?: Evidence;
}

export interface RunOptions {
  readonly adapter: Adapter;
  /** A product that runs already. */
  readonly url?: URL;
  /** Only these, by id. Default: all. */
  readonly only?: (id: string) => boolean;
  /** How long an answer, a delivery or the end of a connection may take. Default: 30 s. */
  readonly patienceMs?: number;
  readonly concurrency?: number;
}

/** A product that runs, of which no form is known but perhaps one. */
export interface VisitOptions {
  readonly url: URL;
  /** The form that may be fetched. */
  readonly form?: string;
  /** Whether it may be sent what must be refused. */
  readonly sends?: boolean;
  readonly only?: RunOptions['only'];
}

interface Listed {
  readonly id: string;
  readonly area: string;
  readonly promise: ProductPromise;
}

export const listed: readonly Listed[] = areas.flatMap((area) =>
  promisesOf(area).map(([id, promise]) => ({ id: `${area.id}/${id}`, area: area.name, promise })),
);

function promisesOf(area: Area): readonly (readonly [id: string, ProductPromise])[] {
  if (!('from' in area)) return Object.entries(area.promises);
  return Object.entries(area.promises).map(([id, promise]) => [id, { from: area.from, ...promise }]);
}

const usualPatienceMs = 30_000;

/** Declares the forms in the product that the adapter starts, and tries every promise. */
export async function measure(options: RunOptions): Promise<readonly Verdict[]> {
  const { adapter, only = () => true, patienceMs = usualPatienceMs, concurrency = 8 } = options;
  const host = '127.0.0.1';
  const [http, smtp, folder] = await Promise.all([
    startHttpSink(host),
    startSmtpSink(host),
    mkdtemp(join(tmpdir(), 'conformance-')),
  ]);
  // Only root can listen on port 1.
  const nobody = 'http://127.0.0.1:1/';
  const sinks: Sinks = { http: http.origin, smtpHost: host, smtpPort: smtp.port, nobody };
  const products = new Products(options, sinks, folder);
  try {
    // A product that does not start at all has broken no promise: that is an error.
    await products.ready('usual');
    return await tryAll(
      listed.filter(({ id }) => only(id)),
      concurrency,
      ({ promise }) => isOffered(promise, adapter),
      async ({ promise }, afterwards) => ({
        ...(await products.ready(promise.setting ?? 'usual')),
        adapter,
        sinks: { http, smtp },
        target: 'contact',
        patienceMs,
        startWith: products.startWith,
        afterwards,
      }),
    );
  } finally {
    await products.stop();
    await Promise.all([http.close(), smtp.close(), rm(folder, { recursive: true, force: true })]);
  }
}

interface Started {
  readonly asked: Asked;
  readonly product: Promise<Running>;
  readonly url: URL;
}

/** The maximum number of restarts, without those for wrong configs. */
const mostRestarts = 40;

/** The products of a run: one for each setting, and those that single promises start. */
class Products {
  readonly #options: RunOptions;
  readonly #forms: Asked['forms'];
  readonly #folder: string;
  readonly #running: Promise<Running>[] = [];
  readonly #started = new Map<Setting, Promise<Started>>();
  #restarts = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RunOptions, sinks: Sinks, folder: string) {
    this.#options = options;
    this.#forms = declared(sinks, options.adapter.offers ?? features) as Asked['forms'];
    this.#folder = folder;
  }

  /** The product with a setting. Promises ask for it in sequence, so that no product starts twice. */
  ready(setting: Setting): Promise<Started> {
    const next = this.#last.then(() => this.#ready(setting));
    this.#last = next.catch(() => {});
    return next;
  }

  async #ready(setting: Setting): Promise<Started> {
    const product = await this.#started.get(setting)?.catch(() => undefined);
    // If an attack ended the product, it starts again for the other promises.
    if (product && (await isListening(product.url))) return product;
    if (this.#restarts > mostRestarts) throw new Error('the product ended again and again');
    this.#restarts += 1;
    const another = this.#start(setting, this.#forms);
    this.#started.set(setting, another);
    return another;
  }

  readonly startWith: World['startWith'] = async (forms, look) => {
    const own = await this.#start('usual', forms).catch(() => undefined);
    if (!own) return undefined;
    try {
      return await look(own.url);
    } finally {
      await (await own.product).stop();
    }
  };

  async #start(setting: Setting, forms: Asked['forms']): Promise<Started> {
    const { adapter, url } = this.#options;
    const folder = await mkdtemp(join(this.#folder, 'product-'));
    const asked = { ...askedFor[setting], env: environment, forms, folder, url: url?.href };
    const product = adapter.start(asked);
    this.#running.push(product);
    return { asked, product, url: new URL((await product).url) };
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#running.map(async (product) => (await product).stop()));
  }
}

const isListening = (url: URL): Promise<boolean> => {
  const { socket, connected } = connect(url, 2_000);
  return connected
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
};

const askedFor: Readonly<Record<Setting, Pick<Asked, 'tokenSecret' | 'allowedOrigins' | 'throttle'>>> = {
  usual: { tokenSecret: 'conformance', allowedOrigins: ['*'], throttle: { rate: 100_000, burst: 100_000 } },
  strict: {
    tokenSecret: '',
    allowedOrigins: ['https://site.example', 'https://other.example'],
    throttle: { rate: 100_000, burst: 100_000 },
  },
  throttled: { tokenSecret: 'conformance', allowedOrigins: ['*'], throttle: { rate: 10, burst: 20 } },
};

const isOffered = (
  { needs = [], forms = [] }: ProductPromise,
  { offers = features, run }: Adapter,
): boolean => {
  const needed = [...needs, ...forms.flatMap(needsOf)];
  return needed.every((feature) => offers.includes(feature) && (feature !== 'cli' || run !== undefined));
};

/** Checks the promises that a running product shows without a form whose deliveries can be seen. */
export async function visit({
  url,
  form,
  sends = false,
  only = () => true,
}: VisitOptions): Promise<readonly Verdict[]> {
  // An unreachable product breaks no promise: it is an error.
  await send(url, { method: 'GET', path: '/' }, 10_000);
  const reach: readonly Reach[] = [
    'anyone',
    ...(form ? ['form' as const] : []),
    ...(form && sends ? ['sends' as const] : []),
  ];
  const adapter: Adapter = { name: url.host, start: () => Promise.reject(new Error('it runs already')) };
  const world = {
    adapter,
    url,
    // Submissions to a form that does not exist reach nobody.
    target: form && sends ? form : 'conformance-no-such-form',
    patienceMs: usualPatienceMs,
    startWith: () => Promise.reject(new Error('it runs already')),
  };
  return tryAll(
    listed.filter(({ id, promise }) => only(id) && reach.includes(promise.reach ?? 'declared')),
    1,
    () => true,
    async ({ promise }, afterwards) => ({
      ...world,
      target: promise.reach === 'form' && form ? form : world.target,
      afterwards,
    }),
  );
}

type Afterwards = World['afterwards'];

const isSlow = ({ promise }: Listed) => promise.isSlow === true;

async function tryAll(
  promises: readonly Listed[],
  concurrency: number,
  isOffered: (one: Listed) => boolean,
  worldFor: (one: Listed, afterwards: Afterwards) => Promise<World>,
): Promise<readonly Verdict[]> {
  const evidence = new Map<Listed, Evidence>();
  const later: (() => void)[] = [];
  const queue = promises.filter(isOffered).sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const tried = one;
      let trial: Trial | undefined;
      const note = (error: unknown) => {
        if (!evidence.has(tried)) evidence.set(tried, evidenceOf(error, trial));
      };
      try {
        const world = await worldFor(tried, (check) => {
          later.push(() => {
            try {
              check();
            } catch (error) {
              note(error);
            }
          });
        });
        trial = new Trial(world);
        await tried.promise.check(trial);
      } catch (error) {
        note(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  for (const check of later) check();
  return promises.map((one) => {
    const { id, area, promise } = one;
    const found = evidence.get(one);
    const verdict = found ? 'broken' : isOffered(one) ? 'kept' : 'not_offered';
    return { area, id, says: promise.says, from: promise.from, verdict, ...(found && { evidence: found }) };
  });
}

function evidenceOf(error: unknown, trial: Trial | undefined): Evidence {
  const last = trial?.last?.request ?? 'none';
  if (error instanceof Broken)
    return {
      request: shown(error.request ?? last),
      expected: shown(error.expected),
      came: shown(error.came),
    };
  const said = error instanceof Error ? error.message : String(error);
  return { request: shown(last), expected: 'that the product can be asked', came: shown(said) };
}

/** In one line, and not at length. */
function shown(text: string): string {
  const line = printable(text);
  return line.length > 300 ? `${line.slice(0, 300)}…` : line || 'nothing';
}
