/** The product's code as scripts for a browser. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledJson } from '@form-relay/element/bundled_json';
import { english } from '@form-relay/element/english';
import { namedExports } from '@form-relay/relay/named_exports';
import { en } from '@form-relay/relay/pages';
import { type InputOptions, type OutputChunk, type Plugin, type RolldownOutput, rolldown } from 'rolldown';
import { build, type Rolldown, type Plugin as VitePlugin } from 'vite';
import { templates } from '../src/templates.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Node's modules that the relay's answers depend on. */
const standIns = ['buffer', 'net', 'path', 'url', 'zlib'];
/** Those that do more with it than hash. */
const keyUsers = /\/src\/(?:features\/receipt\/code|base\/seal)\.ts$/;

/** Modules that only send, and those that no page can have. */
const isLeftOut = (id: string) =>
  /^(?:node:|@aws-sdk\/|@smithy\/|@nats-io\/|stream$|fs$|os$|util$|http$|https$|dns$)/.test(id);

/** Modules in whose place others stand, by the end of their path. */
type Replacements = Readonly<Record<string, string>>;

const forBrowsers = (replacements: Replacements): Plugin => ({
  name: 'for-browsers',
  async resolveId(id, importer = '', options) {
    const name = id.startsWith('node:') ? id.slice(5) : '';
    if (name === 'crypto' && !importer.includes('/try/node/')) {
      return here(keyUsers.test(importer) ? './node/keys.ts' : './node/crypto.ts');
    }
    if (standIns.includes(name)) return here(`./node/${name}.ts`);
    if (isLeftOut(id)) return here('./node/nothing.ts');
    return inPlaceOf(
      replacements,
      (from) => this.resolve(id, from, { ...options, skipSelf: true }),
      importer,
    );
  },
});

/** Vite's plugin of the same. */
const replaced = (replacements: Replacements): VitePlugin => ({
  name: 'replaced',
  enforce: 'pre',
  resolveId(id, importer = '', options) {
    return inPlaceOf(
      replacements,
      (from) => this.resolve(id, from, { ...options, skipSelf: true }),
      importer,
    );
  },
});

async function inPlaceOf<T extends { readonly id: string }>(
  replacements: Replacements,
  resolve: (importer: string) => Promise<T | null>,
  importer: string,
): Promise<T | string | null | undefined> {
  // The one that stands in may look at the other one's types.
  if (importer.includes('/studio/try/')) return undefined;
  const found = await resolve(importer);
  const end = Object.keys(replacements).find((path) => found?.id.endsWith(`/${path}`));
  return end === undefined ? found : here(replacements[end] ?? '');
}

/** Functions of packages/relay/src/schema/keys.ts, with the index of the argument that is documentation. */
const documented: Readonly<Record<string, number>> = {
  ...{ required: 0, optional: 0, optionalBlock: 0, withDefault: 1, withWords: 1 },
};

/** Keys without their documentation, which is a tenth of it all, and which nothing here shows. */
const undocumented: Plugin = {
  name: 'undocumented',
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: 'schema/keys.ts' },
    handler(code) {
      const cuts: { readonly start: number; readonly end: number }[] = [];
      const look = (node: unknown): void => {
        if (Array.isArray(node)) node.forEach(look);
        else if (typeof node === 'object' && node !== null) {
          const { type, callee, arguments: given } = node as Partial<Call>;
          const text = type === 'CallExpression' ? given?.[documented[callee?.name ?? ''] ?? -1] : undefined;
          if (text && /^(?:Literal|TemplateLiteral)$/.test(text.type)) cuts.push(text);
          Object.values(node).forEach(look);
        }
      };
      look(this.parse(code, { lang: 'ts' }));
      return cuts
        .toSorted((one, other) => other.start - one.start)
        .reduce((left, { start, end }) => `${left.slice(0, start)}''${left.slice(end)}`, code);
    },
  },
};

/** As far as it is looked at (ESTree). */
interface Call {
  readonly type: string;
  readonly callee: { readonly name?: string };
  readonly arguments: readonly { readonly type: string; readonly start: number; readonly end: number }[];
}

/** The templates' texts: no file can be read there. */
const withTemplates: Plugin = {
  name: 'with-templates',
  load: {
    filter: { id: /\/studio\/src\/templates\.ts$/ },
    handler: () => `export const templates = ${JSON.stringify(templates)};`,
  },
};

const common = (input: InputOptions['input'], replacements: Replacements): InputOptions => ({
  input,
  platform: 'browser',
  plugins: [bundledJson, namedExports, forBrowsers(replacements), undocumented, withTemplates],
  transform: {
    target: 'es2022',
    define: { ...english(en), 'process.env': '{}' },
    inject: { Buffer: [here('./node/buffer.ts'), 'Buffer'] },
  },
  // A module that is left out has nothing that others import of it.
  shimMissingExports: true,
  logLevel: 'silent',
});

/** Bundles a single script, without exports. */
async function script(file: string, replacements: Replacements): Promise<string> {
  const build = await rolldown(common(here(file), replacements));
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  const [{ code }] = output;
  // A module may wait for something; a script may not.
  return `(async()=>{${code}})();`;
}

/** The studio's page as one script and one stylesheet, with the modules of this folder that take the place of its own. */
export async function pageFiles(): Promise<{ readonly script: string; readonly style: string }> {
  const result = await build({
    configFile: here('../vite.config.ts'),
    // It warns of a preload for parts, of which a single script has none.
    logLevel: 'error',
    plugins: [
      replaced({
        'studio/app/relay.ts': './page/relay.ts',
        'studio/app/place.tsx': './page/place.tsx',
        'studio/app/form/hand.ts': './page/hand.ts',
        'studio/app/mail_frame.tsx': './page/mail_frame.tsx',
        'studio/app/shell/overtaken.tsx': './page/overtaken.ts',
      }),
    ],
    build: {
      write: false,
      rolldownOptions: { input: here('./page/try_it.tsx'), output: { format: 'iife', codeSplitting: false } },
    },
  });
  const { output } = [result].flat()[0] as Rolldown.RolldownOutput;
  const script = output.find((one) => one.type === 'chunk')?.code ?? '';
  const style = output.find((one) => one.fileName.endsWith('.css'));
  return { script, style: style?.type === 'asset' ? String(style.source) : '' };
}

export const frameScript = () =>
  script('./frame/frame.ts', {
    'studio/app/form/form_page.ts': './frame/form_page.ts',
    'element/src/element/load_part.ts': './frame/load_part.ts',
    'element/src/element/files/progress.ts': './frame/progress.ts',
  });

/** The worker's first script, as a function. */
export const bootCode = async () => `()=>${(await script('./worker/boot.ts', {})).replace(/;\s*$/, '')}`;

/** A part of what the worker runs. */
interface Chunk {
  readonly name: string;
  readonly needs: readonly string[];
  readonly code: string;
}

const unusedOfNodemailer = [
  ...['fetch/index', 'mime-funcs/mime-types'],
  ...['mime-node/le-unix', 'mime-node/le-windows', 'mime-node/last-newline'],
];

/** `import()` of another part, as it is written for Node. */
const imported = /Promise\.resolve\(\)\.then\(\(\)=>require\(["'`]\.\/([\w.-]+)\.js["'`]\)\)/g;

const worker = () =>
  rolldown(
    common(
      { relay: here('./worker/relay.ts') },
      {
        // The page has its own.
        'studio/built/browser.ts': './node/no_code.ts',
        'studio/src/data.ts': './worker/no_data.ts',
        // Only the part of nodemailer that writes mails is used.
        ...Object.fromEntries(
          unusedOfNodemailer.map((path) => [`nodemailer/dist/esm/${path}.js`, './node/nothing.ts']),
        ),
        // Node signs with RSA at once, browsers later.
        'transports/mail/dkim_signature.ts': './node/dkim.ts',
        // The library and its fonts are larger than all else together.
        'outputs/make_pdf.ts': './node/pdf.ts',
        // Nothing is archived here, or opened again.
        'transports/archive/age_seal.ts': './node/seal.ts',
      },
    ),
  );

/** The part named `relay` is needed at once; the others are loaded when they are. */
export async function workerParts(): Promise<readonly Chunk[]> {
  const build = await worker();
  const options = {
    format: 'cjs',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  } as const;
  const first = chunksOf(await build.generate(options));
  const atOnce = new Set(reachedFrom('relay.js', first).flatMap(({ moduleIds }) => moduleIds));
  const groups = [{ name: 'core', test: (id: string) => atOnce.has(id) }];
  const chunks = chunksOf(await build.generate({ ...options, codeSplitting: { groups } }));
  await build.close();
  return chunks.map(({ fileName, imports, code }) => ({
    name: basename(fileName, '.js'),
    needs: imports.map((file) => basename(file, '.js')),
    code: inParts(code),
  }));
}

const chunksOf = ({ output }: RolldownOutput) => output.filter((one) => one.type === 'chunk');

/** Those that this one imports, and those that they import. */
function reachedFrom(start: string, chunks: readonly OutputChunk[]): readonly OutputChunk[] {
  const reached = new Set([start]);
  for (const name of reached) {
    for (const other of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) reached.add(other);
  }
  return chunks.filter(({ fileName }) => reached.has(fileName));
}

/** Imports as parts.ts has them. */
function inParts(code: string): string {
  const made = code.replaceAll(imported, 'load("$1")').replaceAll(required, 'require("$1")');
  if (/Promise\.resolve\(\)\.then\(\(\)=>\(?require/.test(made))
    throw new Error('an import() is written in another way');
  return made;
}
const required = /require\(["'`]\.\/([\w.-]+)\.js["'`]\)/g;
