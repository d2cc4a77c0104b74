import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { defineConfig } from 'tsdown';

// Libraries inside start 7 ms sooner than looked up in node_modules.
const bundled = ['commander', 'js-yaml', 'valibot'];

/** nodemailer's CommonJS build, whose `require` calls stay where they are: at the start they would cost 5 ms and up to 4 MB. */
const { resolve } = createRequire(import.meta.url);
const lazily = (...modules: readonly string[]) =>
  Object.fromEntries(modules.map((module) => [module, resolve(module)]));

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
    entry: 'src/cli/relay.ts',
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
    alias: lazily('nodemailer/lib/mime-node', 'nodemailer/lib/smtp-connection'),
    format: 'cjs',
    target: 'node20',
    dts: false,
    deps: { alwaysBundle: [...bundled, /^nodemailer/], onlyBundle: [...bundled, 'nodemailer'] },
    outputOptions: { codeSplitting: false },
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
