import type { Plugin } from 'rolldown';

/** Packages that are bundled with pdfkit, including its own dependencies. */
export const pdfPackages =
  /^(pdfkit|bidi-js|fontkit|png-js|restructure|unicode-properties|unicode-trie|dfa|clone|base64-js|fast-deep-equal|@noble.hashes|@swc.helpers)\b/;

/** Parts of pdfkit that would double its memory and load time, by import name. */
const replaced: Readonly<Record<string, string>> = {
  // Encrypts PDFs; the relay does not use encryption.
  '@noble/ciphers/aes': 'export const cbc = undefined, ecb = undefined;',
  // Breaks lines, which the relay does itself.
  linebreak: 'export default undefined;',
  // Node has both of these built in, without tables of 0.9 MB.
  'tiny-inflate':
    "module.exports = (packed, bytes) => { bytes.set(process.getBuiltinModule('node:zlib').inflateRawSync(packed)); return bytes; };",
  'brotli/decompress.js':
    "module.exports = (packed) => process.getBuiltinModule('node:zlib').brotliDecompressSync(packed);",
};

/** pdfkit loads standard fonts with `createRequire`, which bundlers do not follow. Only one is used. */
const withStandardFont = (code: string) =>
  `import helvetica from 'pdfkit/standard-fonts/Helvetica';\n${code
    .replaceAll(/require\$1\('#standard-fonts\/\w+'\)/g, 'helvetica')
    // In a Cloudflare Worker, modules have no path. pdfkit uses it only for PDF/A, which the relay does not
    // create.
    .replace('createRequire(import.meta.url)', 'undefined')
    .replace(/new URL\('\.\/data\/[\w.]+', import\.meta\.url\)\.href/, "''")}`;

/** Bundles pdfkit without the parts that the relay does not use. */
export const slimPdfkit: Plugin = {
  name: 'slim-pdfkit',
  resolveId: (id, importer = '') =>
    Object.hasOwn(replaced, id) && /node_modules.(pdfkit|fontkit|unicode-trie)\b/.test(importer)
      ? `\0slim:${id}`
      : undefined,
  load: (id) => (id.startsWith('\0slim:') ? replaced[id.slice('\0slim:'.length)] : undefined),
  transform: (code, id) => {
    if (id.endsWith('pdfkit.node.mjs')) return withStandardFont(code);
    // Other bundlers would warn of a duplicate key.
    if (/fontkit.dist/.test(id)) return code.replace(/(\baxisIndex: [\w$.]+,)\s*\1/, '$1');
    return undefined;
  },
};
