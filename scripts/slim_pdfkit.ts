import type { Plugin } from 'rolldown';

/** The packages that the relay bundles with pdfkit, and those that pdfkit needs itself. */
export const pdfPackages =
  /^(pdfkit|bidi-js|fontkit|png-js|restructure|unicode-properties|unicode-trie|dfa|clone|base64-js|fast-deep-equal|@noble.hashes|@swc.helpers)\b/;

/** Parts of pdfkit that would double its memory and the time it takes to load, by the name under which they are imported. */
const replaced: Readonly<Record<string, string>> = {
  // Encrypts PDFs, which the relay's are not.
  '@noble/ciphers/aes': 'export const cbc = undefined, ecb = undefined;',
  // Breaks lines, which the relay does itself.
  linebreak: 'export default undefined;',
  // Node has both of these, without tables of 0.9 MB.
  'tiny-inflate':
    "module.exports = (packed, bytes) => { bytes.set(process.getBuiltinModule('node:zlib').inflateRawSync(packed)); return bytes; };",
  'brotli/decompress.js':
    "module.exports = (packed) => process.getBuiltinModule('node:zlib').brotliDecompressSync(packed);",
};

/** pdfkit asks for its standard fonts by `createRequire`, which no bundler follows. Only one of them is used. */
const withStandardFont = (code: string) =>
  `import helvetica from 'pdfkit/standard-fonts/Helvetica';\n${code
    .replaceAll(/require\$1\('#standard-fonts\/\w+'\)/g, 'helvetica')
    // In a Worker of Cloudflare, no module has a place; what pdfkit finds from there is for PDF/A, which the relay's are not.
    .replace('createRequire(import.meta.url)', 'undefined')
    .replace(/new URL\('\.\/data\/[\w.]+', import\.meta\.url\)\.href/, "''")}`;

/** Bundles pdfkit without what the relay does not use. */
export const slimPdfkit: Plugin = {
  name: 'slim-pdfkit',
  resolveId: (id, importer = '') =>
    Object.hasOwn(replaced, id) && /node_modules.(pdfkit|fontkit|unicode-trie)\b/.test(importer)
      ? `\0slim:${id}`
      : undefined,
  load: (id) => (id.startsWith('\0slim:') ? replaced[id.slice('\0slim:'.length)] : undefined),
  transform: (code, id) => {
    if (id.endsWith('pdfkit.node.mjs')) return withStandardFont(code);
    // Bundlers of others would warn of a key that is there twice.
    if (/fontkit.dist/.test(id)) return code.replace(/(\baxisIndex: [\w$.]+,)\s*\1/, '$1');
    return undefined;
  },
};
