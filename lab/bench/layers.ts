/** Which layer of the relay, of its libraries or of Node a function belongs to. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Layer = string;

interface Place {
  readonly functionName: string;
  readonly url: string;
  /** From 0, in a built file. */
  readonly lineNumber: number;
}

/** In Node's own names for its modules. The first that fits counts. */
const inNode: readonly (readonly [RegExp, Layer])[] = [
  [/^node:_http/, 'node: http'],
  [/^node:(net|_tls|tls|dns|internal\/(stream_base|net|dtrace))/, 'node: net'],
  [/^node:(stream|internal\/streams|events|internal\/(event|util\/debuglog))/, 'node: streams, events'],
  [/^node:(timers|internal\/timers)/, 'node: timers'],
  [/^node:internal\/(process|async_hooks|promise)/, 'node: ticks, promises'],
  [/^node:(buffer|internal\/buffer|internal\/url|querystring|internal\/querystring)/, 'node: buffers, URLs'],
  [/^node:/, 'node: other'],
];

/** V8's names for what is no function. */
const noFunctions: Readonly<Record<string, Layer>> = {
  '(garbage collector)': 'garbage',
  '(program)': 'program',
  '(idle)': 'idle',
  '(root)': 'program',
};

/** `undefined` for native functions, which belong to whatever called them. */
export function layerFinder(): (place: Place) => Layer | undefined {
  const modules = new Map<string, readonly string[]>();
  const modulesOf = (file: string) => {
    const known = modules.get(file);
    if (known) return known;
    const read = modulesByLine(readFileSync(file, 'utf8'));
    modules.set(file, read);
    return read;
  };
  return ({ functionName, url, lineNumber }) => {
    if (url === '') return noFunctions[functionName];
    // The parser of undici, which the floor uses.
    if (url.startsWith('wasm:')) return 'undici';
    if (url.startsWith('node:')) return inNode.find(([pattern]) => pattern.test(url))?.[1];
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
    if (library) return library;
    return layerOfModule(modulesOf(file)[lineNumber] ?? '');
  };
}

/** For each line the module that it was built from: the bundler writes its path above it. */
function modulesByLine(text: string): readonly string[] {
  let module = '';
  return text.split('\n').map((line) => {
    module = /^\s*\/\/(?:#region)? ((?:packages|node_modules)\/\S+)$/.exec(line)?.[1] ?? module;
    return module;
  });
}

/** `packages/relay/src/transports/http/…` is `transports/http`, `packages/relay/src/pages/…` is `pages`, and `packages/relay/src/relay.ts` is `relay`. */
function layerOfModule(module: string): Layer {
  const [, top = '', folder] = /^packages\/[a-z-]+\/src\/([^/]+)(?:\/([^/]+)\/)?/.exec(module) ?? [];
  if (top === '') return /^node_modules\/([^/]+)/.exec(module)?.[1] ?? 'in no module';
  const isSplit = top === 'transports' || top === 'runtimes';
  return isSplit && folder !== undefined ? `${top}/${folder}` : top.replace(/\.ts$/, '');
}
