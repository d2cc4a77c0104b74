import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { defineConfig, type Rolldown } from 'tsdown';

// Libraries inside start 7 ms sooner than looked up in node_modules.
const bundled = ['commander', 'js-yaml', 'valibot'];

/**
 * Packs modules that are only ever imported dynamically into the bundle, to be unpacked and compiled when the first of
 * them is imported. V8 reads through all code of a file that it loads: nodemailer as code would take every cold start
 * 4 ms and 2 MB.
 */
function asleep(...modules: readonly string[]): Rolldown.Plugin {
  const whole = 'asleep';
  const entry = modules.map((module, index) => `export * as part${index} from '${module}';`).join('');
  return {
    name: 'asleep',
    resolveId: (id) => (id === whole || modules.includes(id) ? `\0${id}` : undefined),
    load: async (id) => {
      if (id === `\0${whole}`) {
        const packed = gzipSync(await bundle(entry)).toString('base64');
        return `
          const code = require('node:zlib').gunzipSync(Buffer.from('${packed}', 'base64')).toString();
          export const parts = {};
          new Function('exports', 'require', code)(parts, require);
        `;
      }
      const index = modules.indexOf(id.slice(1));
      if (index < 0) return undefined;
      const names = Object.keys(await import(id.slice(1)));
      const exported = names.map((name) =>
        name === 'default' ? `export default part.default;` : `export const ${name} = part.${name};`,
      );
      return `import { parts } from '${whole}'; const part = parts.part${index}; ${exported.join('')}`;
    },
  };
}

/** A module and everything it imports, as CommonJS. */
async function bundle(code: string): Promise<string> {
  const input = 'asleep_entry';
  const entry: Rolldown.Plugin = {
    name: 'entry',
    resolveId: (id) => (id === input ? id : undefined),
    load: (id) => (id === input ? code : undefined),
  };
  const build = await rolldown({ input, platform: 'node', plugins: [entry] });
  const { output } = await build.generate({ format: 'cjs', codeSplitting: false });
  await build.close();
  return output[0].code;
}

/** Loads Node's crypto when one of its functions is first called: at the start it would cost 2 to 4 ms. */
const cryptoWhenCalled: Rolldown.Plugin = {
  name: 'crypto-when-called',
  resolveId: (id, importer) => (id === 'node:crypto' && importer !== '\0crypto' ? '\0crypto' : undefined),
  load: (id) =>
    id === '\0crypto'
      ? ['createHash', 'createHmac', 'randomUUID', 'timingSafeEqual']
          .map((name) => `export const ${name} = (...given) => require('node:crypto').${name}(...given);`)
          .join('\n')
      : undefined,
};

const { resolve } = createRequire(import.meta.url);
const read = (path: string) => readFileSync(resolve(path), 'utf8');

/** Both versions of htmx for `relay dev`, each with its licence, as files beside the program. */
const htmx = {
  name: 'htmx',
  generateBundle(this: { emitFile(file: { type: 'asset'; fileName: string; source: string }): void }) {
    for (const name of ['htmx2', 'htmx4']) {
      const { version } = JSON.parse(read(`${name}/package.json`));
      const notice = `/*!\nhtmx ${version}, https://htmx.org\n\n${read(`${name}/LICENSE`).trim()}\n*/\n`;
      this.emitFile({
        type: 'asset',
        fileName: `${name}.js`,
        source: notice + read(`${name}/dist/htmx.min.js`),
      });
    }
  },
};

export default defineConfig([
  {
    // CommonJS, because importing node:http from an ES module costs 20 ms on Node 22 and later.
    entry: { relay: 'src/tools/cli/relay.ts', 'cli/parse_worker': 'src/runtimes/parse_worker.ts' },
    format: 'cjs',
    target: 'node20',
    dts: false,
    // undici and nodemailer stay outside: they are loaded only when an output needs them.
    deps: { alwaysBundle: bundled, onlyBundle: bundled },
    // What a command needs in files of its own, so that it loads no more: in one file, every command would require
    // Node's modules of all.
    outputOptions: { chunkFileNames: 'cli/[name].cjs' },
    plugins: [htmx],
    logLevel: 'warn',
    failOnWarn: true,
  },
  {
    // One file to upload. On Lambda it loads neither undici nor the SDK's credential chain, which stay outside.
    entry: { lambda: 'src/runtimes/lambda_entry.ts' },
    plugins: [
      asleep(
        'nodemailer/lib/mime-funcs',
        'nodemailer/lib/mime-node',
        'nodemailer/lib/qp',
        'nodemailer/lib/smtp-connection',
      ),
      cryptoWhenCalled,
    ],
    format: 'cjs',
    target: 'node20',
    dts: false,
    deps: { alwaysBundle: [...bundled, /^nodemailer/], onlyBundle: bundled },
    // V8 keeps a file of ASCII alone in half the memory.
    outputOptions: { codeSplitting: false, charset: 'ascii', comments: { jsdoc: false } },
    logLevel: 'warn',
    failOnWarn: true,
  },
  {
    entry: 'src/index.ts',
    format: 'esm',
    target: 'node20',
    dts: true,
    deps: { onlyBundle: [] },
    logLevel: 'warn',
    failOnWarn: true,
    // It says only that TypeScript 7 writes the declarations; `npm run types` checks them.
    suppressWarnings: 'TypeScript 7.0 does not yet have a stable API',
  },
]);
