import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { defineConfig, type Rolldown } from 'tsdown';
import { bundledLicences } from './apps/studio/bundled_licences.ts';
import { english } from './packages/element/english.ts';
import { bundledJson } from './scripts/bundled_json.ts';
import { evaluated } from './scripts/evaluated.ts';
import { pdfPackages, slimPdfkit } from './scripts/slim_pdfkit.ts';

// Libraries inside start 7 ms sooner than looked up in node_modules.
const bundled = ['commander', 'js-yaml', 'valibot'];

/** For `relay mcp` alone. */
const mcpPackages = /^(@modelcontextprotocol.(server|core)|zod)\b/;

/** The SDK of MCP has Ajv inside, for answers to questions that `relay mcp` never asks. */
const withoutAjv: Rolldown.Plugin = {
  name: 'without-ajv',
  resolveId: (id) => (id === '@modelcontextprotocol/server/_shims' ? '\0mcp_shims' : undefined),
  load: (id) =>
    id === '\0mcp_shims'
      ? "export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator { getValidator() { throw new Error('nothing is asked'); } }"
      : undefined,
};

/** nodemailer's table of media types, with 60 KB. The relay's mails name their own. */
const withoutMediaTypes: Rolldown.Plugin = {
  name: 'without-media-types',
  resolveId: (id, importer = '') =>
    id.endsWith('/mime-types.js') && importer.includes('nodemailer') ? '\0media_types' : undefined,
  load: (id) =>
    id === '\0media_types'
      ? "export const detectMimeType = () => 'application/octet-stream', detectExtension = () => 'bin';"
      : undefined,
};

/** Without it, the declarations of all tests would be written, too. */
const declarations = 'packages/tsconfig.types.json';

/** Of a package with much else, the part that the command needs. */
const bundledInCommand = [...bundled, pdfPackages, mcpPackages];

/** In a function these come along too, since that is uploaded without node_modules: each in a file of its own. */
const lateOnLambda = {
  // But for what signs, which most mails do without.
  nodemailer: /^nodemailer(?!.*.dkim.)/,
  multipart_parser: /^@remix-run.(multipart-parser|headers)\b/,
  libphonenumber: /^libphonenumber-js\b/,
  pdfkit: pdfPackages,
};

const packagesOnLambda = [
  /^nodemailer/,
  lateOnLambda.multipart_parser,
  lateOnLambda.pdfkit,
  lateOnLambda.libphonenumber,
];

const cryptoUsed =
  'createCipheriv createDecipheriv createHash createHmac createPrivateKey createPublicKey createSecretKey diffieHellman generateKeyPairSync hash hkdfSync randomBytes randomFillSync randomUUID sign timingSafeEqual verify'.split(
    ' ',
  );

/** Loads Node's crypto when one of its functions is first called: at the start it would cost 2 to 4 ms. */
const cryptoWhenCalled: Rolldown.Plugin = {
  name: 'crypto-when-called',
  resolveId: (id, importer = '') =>
    id === 'node:crypto' && importer !== '\0crypto' && !importer.includes('node_modules')
      ? '\0crypto'
      : undefined,
  load: (id) =>
    id === '\0crypto'
      ? [
          'let crypto;',
          "const load = () => (crypto ??= require('node:crypto'));",
          ...cryptoUsed.map((name) => `export const ${name} = (...given) => load().${name}(...given);`),
        ].join('\n')
      : undefined,
};

/** Late parts that a Worker can never run, and so need not upload. Loading one throws. */
const notInWorkers: Rolldown.Plugin = {
  name: 'not-in-workers',
  resolveId: (id, _, { kind }) => (kind === 'dynamic-import' && absent.test(id) ? '\0absent' : undefined),
  load: (id) => (id === '\0absent' ? "throw new Error('a Worker cannot do this');" : undefined),
};

const absent =
  /^\.\/(stores\/)?(folder|nats|sqs|store_file|remove_rejected)\.ts$|\/(clamd|disk|http_client|smtp_client)$|^@(aws-sdk|smithy)\//;

const { resolve } = createRequire(import.meta.url);
const read = (path: string) => readFileSync(resolve(path), 'utf8');

/** A package brings along what the relay's own script asks the relay for. */
const partsInPackage: Rolldown.Plugin = {
  name: 'parts-in-package',
  load: (id) =>
    id.endsWith('load_part.ts')
      ? "const parts = { steps: () => import('./steps/attach.ts'), files: () => import('./files/attach.ts'), guard: () => import('../guard/guard.ts'), range: () => import('../range/attach.ts'), repeat: () => import('../repeat/attach.ts'), tel: () => import('../parts/tel.ts'), places: () => import('./places/attach.ts') }; export const loadPart = (name) => parts[name]();"
      : undefined,
};

interface Emits {
  emitFile(file: { type: 'asset'; fileName: string; source: string | Uint8Array }): void;
}

/** The pages of the studio and the inbox, and what `relay dev` shows and others made, each with its licence, as files beside the program. */
const assets = {
  name: 'assets',
  generateBundle(this: Emits) {
    const app = join(import.meta.dirname, 'apps/studio/built/app');
    for (const file of readdirSync(app)) {
      this.emitFile({ type: 'asset', fileName: `app/${file}`, source: readFileSync(join(app, file)) });
    }
    const inbox = join(import.meta.dirname, 'apps/inbox/built');
    for (const file of existsSync(inbox) ? readdirSync(inbox) : []) {
      this.emitFile({ type: 'asset', fileName: `inbox/${file}`, source: readFileSync(join(inbox, file)) });
    }
    for (const name of ['htmx2', 'htmx4']) {
      const source = `${notice(name)}${read(`${name}/dist/htmx.min.js`)}`;
      this.emitFile({ type: 'asset', fileName: `${name}.js`, source });
    }
    this.emitFile({ type: 'asset', fileName: 'cli/manual.json.br', source: manual() });
  },
};

/** The pages of the manual by their paths in docs/, without the decisions, for `relay mcp`. */
function manual(): Uint8Array {
  const docs = join(import.meta.dirname, 'docs');
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !path.startsWith('decisions/'))
    .toSorted()
    .map((path) => [path, readFileSync(join(docs, path), 'utf8')]);
  return brotliCompressSync(JSON.stringify(Object.fromEntries(pages)));
}

/** The licence, as a comment. */
function notice(name: string): string {
  const { version } = JSON.parse(read(`${name}/package.json`));
  return `/*!\nhtmx ${version}, https://htmx.org\n\n${read(`${name}/LICENSE`).trim()}\n*/\n`;
}

/** A start reads and keeps half as much. The names of functions stay, for stack traces in the log. */
const small = {
  mangle: { toplevel: true, keepNames: true },
  compress: { keepNames: { function: true, class: true } },
  codegen: true,
} as const;

const inLanguages = /(languages.src.words|signals.phrases).\w+\.json$/;

/** Languages as they are written: escapes would make those of other scripts three times as long. */
const plainLanguages: Rolldown.Plugin = {
  name: 'plain-languages',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk' || !file.moduleIds.every((id) => inLanguages.test(id))) continue;
      file.code = file.code.replace(/\\u([0-9A-F]{4})/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
    }
  },
};

/** Words that a text is compared with, in a file of their own, which several builds share. */
const phrases = { name: 'phrases', test: /signals.phrases.\w+\.json$/ };

const inPackages = ({ source }: RegExp) => new RegExp(source.replace('^', 'node_modules.'));

/** A file that is imported late stays a file of its own. */
const lateOnly = (id: string, modules: Rolldown.ChunkingContext): string | undefined =>
  modules.getModuleInfo(id)?.dynamicImporters.length ? undefined : 'late';

/** The modules that a file of `packages` loads at its start, by build and file. */
const loadedAtStart = new WeakMap<object, Map<string, ReadonlySet<string>>>();

function isLoadedBy(file: string, id: string, modules: Rolldown.ChunkingContext): boolean {
  const ofBuild = loadedAtStart.get(modules) ?? new Map<string, ReadonlySet<string>>();
  loadedAtStart.set(modules, ofBuild);
  const loaded = ofBuild.get(file) ?? withImports(join(import.meta.dirname, 'packages', file), modules);
  ofBuild.set(file, loaded);
  return loaded.has(id);
}

function withImports(start: string, modules: Rolldown.ChunkingContext): ReadonlySet<string> {
  const found = new Set([start]);
  for (const one of found) {
    for (const imported of modules.getModuleInfo(one)?.importedIds ?? []) found.add(imported);
  }
  return found;
}

/**
 * What `relay serve` loads at its start stands in two files, since Node takes longer to find most modules than to run them: what
 * all commands load, and the rest.
 */
function fileAtStart(id: string, modules: Rolldown.ChunkingContext): string | undefined {
  if (!isLoadedBy('cli/src/serve_http.ts', id, modules)) return undefined;
  return isLoadedBy('cli/src/main.ts', id, modules) ? 'base' : 'serve';
}

export default defineConfig([
  {
    // CommonJS, because importing node:http from an ES module costs 20 ms on Node 22 and later.
    name: 'command',
    entry: {
      relay: 'packages/cli/src/relay.ts',
      'cli/main': 'packages/cli/src/main.ts',
      'cli/serve_plainly': 'packages/cli/src/serve_plainly.ts',
      'cli/index_worker': 'apps/inbox/src/index/index_worker.ts',
      'cli/learn_worker': 'apps/inbox/src/learning/learn_worker.ts',
    },
    minify: small,
    format: 'cjs',
    target: 'node20',
    dts: false,
    // nodemailer stays outside: it is loaded only when an output needs it.
    deps: { alwaysBundle: bundledInCommand, onlyBundle: bundledInCommand },
    // What a command needs in files of its own, so that it loads no more: in one file, every command would require
    // Node's modules of all.
    outputOptions: {
      charset: 'ascii',
      comments: { jsdoc: false },
      chunkFileNames: 'cli/[name].cjs',
      codeSplitting: {
        groups: [
          { name: fileAtStart, debugName: 'at start' },
          phrases,
          { name: 'pdfkit', test: inPackages(pdfPackages) },
          { name: 'mcp_sdk', test: inPackages(mcpPackages) },
        ],
      },
    },
    plugins: [
      bundledJson,
      evaluated,
      cryptoWhenCalled,
      withoutAjv,
      slimPdfkit,
      plainLanguages,
      assets,
      bundledLicences,
    ],
    logLevel: 'warn',
    failOnWarn: true,
  },
  {
    // A folder to upload: what a cold start does not need lies in files beside the entry, and is read when it is needed.
    // On Lambda the relay does not load the SDK's credential chain, which stays outside.
    name: 'lambda',
    entry: { lambda: 'packages/runtimes/src/lambda/main.ts' },
    outDir: 'dist/lambda',
    plugins: [bundledJson, cryptoWhenCalled, slimPdfkit, withoutMediaTypes, plainLanguages, bundledLicences],
    minify: small,
    format: 'cjs',
    target: 'node20',
    dts: false,
    deps: {
      alwaysBundle: [...bundled, ...packagesOnLambda],
      onlyBundle: [...bundled, ...packagesOnLambda],
    },
    // V8 keeps a file of ASCII alone in half the memory.
    outputOptions: {
      charset: 'ascii',
      comments: { jsdoc: false },
      chunkFileNames: ({ name }) => (name.startsWith('late~') ? 'late-[hash].cjs' : '[name].cjs'),
      codeSplitting: {
        groups: [
          phrases,
          ...Object.entries(lateOnLambda).map(([name, packages]) => ({ name, test: inPackages(packages) })),
          // What a cold start reads, in one file beside the entry: reading many costs more, and `import()` scans a whole entry
          // for its exports.
          { name: 'shared', tags: ['$initial'] },
          // And what late files share, in files beside them. Merged further, two of them would need each other.
          { name: lateOnly, debugName: 'late', minShareCount: 2, entriesAware: true },
        ],
      },
    },
    logLevel: 'warn',
    failOnWarn: true,
  },
  {
    name: 'library',
    entry: { index: 'packages/runtimes/src/index.ts', metrics: 'packages/telemetry/src/metrics/index.ts' },
    plugins: [bundledJson, plainLanguages],
    minify: small,
    format: 'esm',
    target: 'node20',
    outputOptions: { charset: 'ascii', codeSplitting: { groups: [phrases] } },
    dts: { tsconfig: declarations },
    deps: { onlyBundle: [] },
    logLevel: 'warn',
    failOnWarn: true,
    // It says only that TypeScript 7 writes the declarations; `npm run types` checks them.
    suppressWarnings: 'TypeScript 7.0 does not yet have a stable API',
  },
  {
    // Wrangler bundles it with the Worker's own code, with nothing of node_modules beside it.
    name: 'cloudflare',
    entry: { index: 'packages/runtimes/src/cloudflare/index.ts' },
    outDir: 'dist/cloudflare',
    plugins: [
      bundledJson,
      notInWorkers,
      slimPdfkit,
      withoutMediaTypes,
      plainLanguages,
      bundledLicences,
      // A Worker has no `require`.
      esmExternalRequirePlugin({ external: builtinModules.flatMap((name) => [name, `node:${name}`]) }),
    ],
    nodeProtocol: true,
    minify: small,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    // Its few types name what they are, so that they need no compiler.
    dts: { oxc: true },
    deps: {
      alwaysBundle: [...bundled, ...packagesOnLambda],
      onlyBundle: [...bundled, ...packagesOnLambda],
      neverBundle: ['cloudflare:workers'],
    },
    outputOptions: {
      charset: 'ascii',
      comments: { jsdoc: false },
      chunkFileNames: '[name].mjs',
      codeSplitting: { groups: [phrases] },
    },
    logLevel: 'warn',
    failOnWarn: true,
    suppressWarnings: 'TypeScript 7.0 does not yet have a stable API',
  },
  {
    // For sites with a bundler of their own; on servers too, where they do nothing or send forms.
    name: 'element',
    entry: {
      element: 'packages/element/src/element/element.ts',
      client: 'packages/element/src/guard/client.ts',
    },
    format: 'esm',
    platform: 'neutral',
    target: 'es2021',
    tsconfig: 'packages/element/tsconfig.json',
    define: english,
    plugins: [partsInPackage],
    minify: true,
    dts: true,
    deps: { onlyBundle: [] },
    outputOptions: {
      chunkFileNames: '[name].mjs',
      // What several share, which else would be exports of the element.
      codeSplitting: {
        groups: [
          {
            name: 'parts',
            test: /element.src.element.(make|controls|member|captcha|load|errors|kept|address)\.ts$/,
          },
          { name: 'sending', test: /element.src.(element.client|guard.send_proving)\.ts$/ },
        ],
      },
    },
    outExtensions: () => ({ js: '.mjs', dts: '.d.mts' }),
    logLevel: 'warn',
    failOnWarn: true,
    suppressWarnings: 'TypeScript 7.0 does not yet have a stable API',
  },
]);
