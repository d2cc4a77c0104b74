import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown';
import { english } from './packages/element/english.ts';
import { deployFiles } from './packages/starters/src/deploy_targets.ts';
import { bundledJson } from './scripts/bundled_json.ts';
import { bundledLicences, licencesIn } from './scripts/bundled_licences.ts';
import { evaluated } from './scripts/evaluated.ts';
import { pdfPackages, slimPdfkit } from './scripts/slim_pdfkit.ts';

/** The relay needs 130 KB of its 10 MB. */
const phonePackage = /^libphonenumber-js\b/;

/** Only for `relay mcp`. */
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

/** Libraries that few relays load, by the file that all builds share. A function is uploaded without those of `late/`. */
const lateLibraries: Readonly<Record<string, readonly string[]>> = {
  'late/aws': ['@aws-sdk/credential-provider-node', '@smithy/shared-ini-file-loader'],
  'late/nats': ['@nats-io/transport-node', '@nats-io/jetstream'],
  'late/openid': ['openid-client', 'jose'],
  'late/parse5': ['parse5'],
  'late/qrcode': ['qrcode/lib/core/qrcode.js'],
  'lambda/age': ['age-encryption'],
};

/** Exports each of their names by itself: Node finds none in the one object that a CommonJS package exports. */
const lateEntry = (packages: readonly string[]): Rolldown.Plugin => ({
  name: 'late-entry',
  resolveId: (id) => (id === 'late-entry' ? '\0late-entry' : undefined),
  load: async (id) => {
    if (id !== '\0late-entry') return undefined;
    const named = new Set(['default', 'module.exports', '__esModule']);
    const lines = packages.map(async (name) => {
      const own = Object.keys(await import(name)).filter((one) => !named.has(one) && named.add(one));
      return `export { ${own.join(', ')} } from '${name}';`;
    });
    return (await Promise.all(lines)).join('\n');
  },
  generateBundle(_, bundle) {
    const getters =
      /Object\.defineProperty\(exports,["`]([\w$]+)["`],\{enumerable:!0,get:function\(\)\{return ([\w$.]+)\}\}\)/g;
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = file.code.replace(getters, 'exports.$1=$2');
  },
});

/** Imports those files in place of the packages. */
const lateFiles: Rolldown.Plugin = {
  name: 'late-files',
  resolveId: (id) => {
    const [file] = Object.entries(lateLibraries).find(([, packages]) => packages.includes(id)) ?? [];
    return file === undefined ? undefined : { id: `../${file}.cjs`, external: true };
  },
  generateBundle({ format }, bundle) {
    const files = Object.keys(lateLibraries).join('|');
    const late = new RegExp(`import\\(["\`]\\.\\.(/(?:${files})\\.cjs)["\`]\\)`, 'g');
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      const up = file.fileName.includes('/') ? '..' : '.';
      file.code = file.code.replace(late, (_, path: string) => {
        const isBeside = file.fileName.startsWith('lambda/') && path.startsWith('/lambda/');
        const from = isBeside ? path.replace('/lambda', '.') : `${up}${path}`;
        // The single executable loads what it holds by `require` alone.
        return format === 'cjs' ? `Promise.resolve().then(()=>require("${from}"))` : `import("${from}")`;
      });
    }
  },
};

/** The packages of those, with the ones that they bring along. */
const latePackages =
  /^(@aws-sdk|@aws|@smithy|@nats-io|@noble|@scure|age-encryption|bowser|dijkstrajs|entities|jose|oauth4webapi|openid-client|parse5|qrcode|tslib|tweetnacl)\b/;

/** Libraries inside start 7 ms sooner than looked up in node_modules, and nobody has to install them. */
const always = ['js-yaml', 'structured-headers', phonePackage, /^@remix-run.(multipart-parser|headers)\b/];
const bundled = [...always, 'commander', /^nodemailer/, pdfPackages, mcpPackages];

const filesIn = (folder: string, names: RegExp, suffix = '') =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => names.test(file))
      .map((file) => [`lambda/${parse(file).name}${suffix}`, `${folder}/${file}`]),
  );

/**
 * Words, tables, scripts and libraries that all builds share: files next to the function, which is uploaded with all that it
 * needs. Modules whose values are of no class, since the library has classes of its own.
 */
const shared: Readonly<Record<string, string>> = {
  'lambda/pdfkit': 'packages/more-outputs/src/pdf/pdfkit.ts',
  'lambda/nodemailer': 'packages/clients/src/mail/nodemailer.ts',
  'lambda/phrases': 'packages/spam/src/signals/phrases/languages.ts',
  'lambda/noticed': 'packages/spam/src/score/noticed.json',
  'lambda/file_kinds': 'packages/files/src/file_kinds.json',
  'lambda/mail_services': 'packages/clients/src/smtp/mail_services.json',
  'lambda/aliases': 'packages/yaml/src/advice/aliases.json',
  'lambda/phone_metadata': 'node_modules/libphonenumber-js/metadata.min.json.js',
  'lambda/phone_number': 'packages/element/src/parts/phone_number.ts',
  'lambda/yaml_parser': 'packages/yaml/src/yaml_parser.ts',
  // Others are markup, which is of a class.
  ...filesIn('packages/element/built', /^(?!inline|style|\w+_in_form).*\.ts$/, '_script'),
  ...filesIn('packages/languages/src/words', /\.json$/),
  ...filesIn('catalogue', /_words\.(json|ts)$/),
};

/** Modules that programs import from the package: the code of the function and the command, and little that is of the library alone. */
const library: Readonly<Record<string, string>> = {
  'library/relay': 'packages/runtimes/src/index.ts',
  'library/metrics': 'packages/telemetry/src/metrics/index.ts',
  'library/worker': 'packages/runtimes/src/cloudflare/worker.ts',
  'library/testing': 'packages/testing/src/index.ts',
};

/** Puts additions of packages to the types of others into the one file where these are: the package has no such modules. */
const mergedTypes: Rolldown.Plugin = {
  name: 'merged-types',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk' && file.fileName.endsWith('.d.mts'))
        file.code = file.code.replace(
          /^declare module ['"]@form-relay\/[^'"]+['"] \{\n([\s\S]*?)^\}\n/gm,
          (_, added: string) => added.replaceAll(/^ {2}/gm, ''),
        );
  },
};

/** Modules of the package only export what those files have. */
const builtLibrary: Rolldown.Plugin = {
  name: 'built-library',
  resolveId: (id) => (id.startsWith('./library/') ? { id, external: true } : undefined),
  load: {
    order: 'pre',
    filter: { id: Object.values(library).map((path) => new RegExp(`${path}$`)) },
    handler: async (id) => {
      const [name, path = ''] = Object.entries(library).find(([, path]) => id.endsWith(path)) ?? [];
      const names = Object.keys(await import(inRepository(path)));
      return {
        code: `import built from './${name}.cjs';\nexport const { ${names.join(', ')} } = built;`,
        moduleType: 'js',
      };
    },
  },
};

const cryptoUsed =
  'createCipheriv createDecipheriv createHash createHmac createPrivateKey createPublicKey createSecretKey diffieHellman generateKeyPairSync hash hkdfSync randomBytes randomFillSync randomInt randomUUID sign timingSafeEqual verify'.split(
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

/** A package brings along what the relay's own script asks the relay for. */
const partsInPackage: Rolldown.Plugin = {
  name: 'parts-in-package',
  load: (id) =>
    id.endsWith('load_part.ts')
      ? "const parts = { steps: () => import('./steps/attach.ts'), files: () => import('./files/attach.ts'), guard: () => import('../guard/guard.ts'), range: () => import('../range/attach.ts'), repeat: () => import('../repeat/attach.ts'), tel: () => import('../parts/tel.ts'), conditions: () => import('./conditions/attach.ts'), verify: () => import('../parts/verify.ts'), offline: () => import('../parts/offline.ts'), fallback: () => import('../parts/fallback.ts') }; export const loadPart = (name, form) => parts[name] ? parts[name]() : import(/* @vite-ignore */ new URL('../' + name + '.js', form));"
      : undefined,
};

interface Emits {
  emitFile(file: { type: 'asset'; fileName: string; source: string | Uint8Array }): void;
}

/**
 * The pages of the studio and the inbox, the manual and the files of deployments, compressed, as files next to the program.
 * `beside.ts` of the command line reads them.
 */
const assets = {
  name: 'assets',
  generateBundle(this: Emits) {
    const compress = (fileName: string, source: string | Uint8Array) =>
      this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(source) });
    for (const [place, path] of [
      ['app', 'apps/studio/built/app'],
      ['inbox', 'apps/inbox/built'],
    ] as const) {
      const folder = inRepository(path);
      for (const file of existsSync(folder) ? readdirSync(folder) : []) {
        const [fileName, source] = [`${place}/${file}`, readFileSync(join(folder, file))];
        // Licences are for people.
        if (file.endsWith('.txt')) this.emitFile({ type: 'asset', fileName, source });
        else compress(fileName, source);
      }
    }
    // For Workers, `browser` of package.json has it in place of libraries that need sockets or a disk.
    const source = "throw new Error('a Worker cannot do this');\n";
    this.emitFile({ type: 'asset', fileName: 'late/absent.cjs', source });
    compress('cli/manual.json', jsonOf(manual()));
    compress('cli/deploy.json', jsonOf(deployFiles.map((path) => [path, read(path)])));
  },
};

/** The pages of the manual by their paths in docs/, without the decisions, for `relay mcp`. */
function manual(): readonly (readonly [string, string])[] {
  return readdirSync(inRepository('docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !path.startsWith('decisions/'))
    .toSorted()
    .map((path) => [path, read(`docs/${path}`)]);
}

const jsonOf = (texts: readonly (readonly string[])[]): string => JSON.stringify(Object.fromEntries(texts));
const read = (path: string) => readFileSync(inRepository(path), 'utf8');

/** A start reads and keeps half as much. The names of functions stay, for stack traces in the log. */
const small = {
  mangle: { toplevel: true, keepNames: true },
  compress: { keepNames: { function: true, class: true } },
  codegen: true,
} as const;

/** Files of words as they are written: escapes would make those of other scripts three times as long. And plain exports, without a function for each. */
const plain: Rolldown.Plugin = {
  name: 'plain',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue;
      file.code = file.code.replace(getter, 'exports.$1=$2');
      if (!file.moduleIds.every((id) => inLanguages.test(id))) continue;
      file.code = file.code.replace(/\\u([0-9A-F]{4})/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      );
    }
  },
};

const inLanguages = /(languages.src.words|signals.phrases).\w+\.(json|ts)$|catalogue.\w+_words\.ts$/;
const getter =
  /Object\.defineProperty\(exports,["`]([\w$]+)["`],\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;

/** The modules that `relay serve` or a function loads at its start, and all that a function may load. */
const started = new Set<string>();
const onLambda = new Set<string>();
/** The modules that a Worker loads at its start. */
const onWorker = new Set<string>();
/** By module, the late imports of a function that need it. Modules that the same ones need are one file. */
const neededBy = new Map<string, string>();

const inStart = (id: string) => started.has(id) && (onLambda.has(id) || onWorker.has(id));

const reach: Rolldown.Plugin = {
  name: 'reach',
  buildEnd() {
    const follow = (start: string, found = new Set<string>(), isLate = false) => {
      found.add(start);
      for (const one of found) {
        const { importedIds = [], dynamicallyImportedIds = [] } = this.getModuleInfo(one) ?? {};
        for (const id of isLate ? [...importedIds, ...dynamicallyImportedIds] : importedIds) found.add(id);
      }
      return found;
    };
    for (const found of [started, onLambda, onWorker, neededBy]) found.clear();
    for (const start of [lambda, inRepository('packages/cli/src/serve_http.ts')]) follow(start, started);
    follow(inRepository('packages/runtimes/src/cloudflare/worker.ts'), onWorker);
    // The entry itself starts the function.
    started.delete(lambda);
    for (const one of follow(lambda, onLambda, true)) {
      if (!this.getModuleInfo(one)?.dynamicImporters.some((id) => onLambda.has(id))) continue;
      for (const id of follow(one)) neededBy.set(id, `${neededBy.get(id) ?? ''}~${one}`);
    }
    for (const path of Object.values(shared))
      for (const id of follow(inRepository(path))) neededBy.delete(id);
  },
};

const inRepository = (path: string) => join(import.meta.dirname, path);
const inBasis = /packages.(?:base|schema|yaml|element).|package\.json$/;
const lambda = inRepository('packages/runtimes/src/lambda/main.ts');

export default defineConfig([
  ...Object.entries(lateLibraries).map(
    ([file, packages]) =>
      ({
        name: file,
        entry: { [file]: 'late-entry' },
        minify: small,
        format: 'cjs',
        target: 'node20',
        nodeProtocol: true,
        dts: false,
        deps: { alwaysBundle: latePackages, onlyBundle: [latePackages] },
        // Modules, from which the parts that nothing uses are left out.
        inputOptions: { resolve: { mainFields: ['module', 'main'] } },
        outputOptions: {
          comments: { jsdoc: false },
          exports: 'named',
          codeSplitting: false,
        },
        plugins: [lateEntry(packages), licencesIn({ '': `${file}.licences.txt` })],
        logLevel: 'warn',
        failOnWarn: true,
      }) satisfies UserConfig,
  ),
  {
    // CommonJS, because importing node:http from an ES module costs 20 ms on Node 22 and later.
    name: 'programs',
    entry: {
      relay: 'packages/cli/src/relay.ts',
      'cli/main': 'packages/cli/src/main.ts',
      'cli/serve_plainly': 'packages/cli/src/serve_plainly.ts',
      'cli/index_worker': 'apps/inbox/src/index/index_worker.ts',
      'cli/learn_worker': 'apps/inbox/src/learning/learn_worker.ts',
      'cli/export_worker': 'apps/inbox/src/export/export_worker.ts',
      // A folder to upload: what a cold start does not need lies in files next to the entry, and is read when it is
      // needed. On Lambda the relay does not load the SDK's credential chain, which stays outside.
      'lambda/lambda': 'packages/runtimes/src/lambda/main.ts',
      ...shared,
      ...library,
    },
    minify: small,
    format: 'cjs',
    target: 'node20',
    // Wrangler knows no other names.
    nodeProtocol: true,
    dts: false,
    deps: { alwaysBundle: bundled, onlyBundle: bundled },
    // A common file that an entry took in would load that program.
    inputOptions: {
      preserveEntrySignatures: 'allow-extension',
      experimental: { chunkOptimization: { mergeCommonChunks: false } },
    },
    // Each command has files of its own, so that it loads no more: in a single file, every command would require
    // Node's modules of all. V8 keeps a file of only ASCII in half the memory.
    outputOptions: {
      charset: 'ascii',
      comments: { jsdoc: false },
      exports: 'named',
      // Some chunks have no modules, but stand for one of another chunk. A function needs Rolldown's runtime, too.
      chunkFileNames: ({ name, moduleIds, facadeModuleId }) => {
        const isOnLambda =
          name === 'rolldown-runtime' || [facadeModuleId, ...moduleIds].some((id) => id && onLambda.has(id));
        return `${isOnLambda ? 'lambda' : 'cli'}/${name.startsWith('~') ? 'late-[hash]' : '[name]'}.cjs`;
      },
      codeSplitting: {
        groups: [
          // Modules of a start, in few files, since Node takes longer to find most modules than to run them: those that
          // functions or Workers load, too, and the rest of `relay serve`. V8 takes 4 MB to read a file of 280 KB, which the process
          // keeps, so there is one for each layer.
          { name: 'basis', test: (id) => inStart(id) && inBasis.test(id), priority: 4 },
          {
            name: 'core',
            test: (id) => inStart(id) && id.startsWith(inRepository('packages/core')),
            priority: 3,
          },
          { name: 'shared', test: inStart, priority: 2 },
          { name: 'serve', test: (id) => started.has(id), priority: 1 },
          { name: 'mcp_sdk', test: new RegExp(mcpPackages.source.replace('^', 'node_modules.')) },
          { name: (id) => neededBy.get(id), debugName: 'late', includeDependenciesRecursively: false },
        ],
      },
    },
    plugins: [
      lateFiles,
      bundledJson,
      evaluated,
      cryptoWhenCalled,
      withoutAjv,
      withoutMediaTypes,
      slimPdfkit,
      plain,
      reach,
      assets,
      bundledLicences,
    ],
    logLevel: 'warn',
    failOnWarn: true,
  },
  {
    // For Node.js, and with `cloudflare` for Workers, which Wrangler bundles.
    name: 'library',
    entry: {
      index: 'packages/runtimes/src/index.ts',
      plugin: 'packages/runtimes/src/plugin.ts',
      metrics: 'packages/telemetry/src/metrics/index.ts',
      cloudflare: 'packages/runtimes/src/cloudflare/index.ts',
      testing: 'packages/testing/src/index.ts',
    },
    plugins: [builtLibrary, bundledJson, mergedTypes],
    minify: small,
    format: 'esm',
    target: 'node20',
    outputOptions: {
      // The interface for plug-ins in one file, so that additions of packages stand beside what they add to.
      codeSplitting: {
        groups: [
          {
            name: 'interface.d',
            test: /(base|schema|yaml|core|plugin-host|stores|more-outputs|visitor-mails).src.*\.d\.m?ts$/,
          },
        ],
      },
    },
    dts: { tsconfig: declarations },
    deps: { neverBundle: ['cloudflare:workers'] },
    logLevel: 'warn',
    failOnWarn: true,
    // The warning only says that TypeScript 7 writes the declarations; `npm run types` checks them.
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
    deps: { alwaysBundle: [phonePackage], onlyBundle: [phonePackage] },
    outputOptions: {
      chunkFileNames: '[name].mjs',
      // Shared modules, which else would be exports of the element.
      codeSplitting: {
        groups: [
          {
            name: 'parts',
            test: /element.src.element.(conditions|controls|captcha|errors|address)\.ts$/,
          },
          { name: 'sending', test: /element.src.element.client\.ts$/ },
        ],
      },
    },
    outExtensions: () => ({ js: '.mjs', dts: '.d.mts' }),
    logLevel: 'warn',
    failOnWarn: true,
    suppressWarnings: 'TypeScript 7.0 does not yet have a stable API',
  },
]);
