// Serves a project with Netlify's local runtime: `node netlify_dev.mjs <folder of its packages> <project> <port>`.
import http from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';

const [modules, site, port] = process.argv.slice(2);
// Functions begin where the project is.
process.chdir(site);
const { NetlifyDev } = await import(pathToFileURL(join(modules, '@netlify/dev/dist/main.js')).href);
const off = { enabled: false };
const netlify = new NetlifyDev({ projectRoot: site, edgeFunctions: off, geolocation: off });
await netlify.start();

http
  .createServer(async (incoming, outgoing) => {
    const { response } = (await netlify.handleAndIntrospectNodeRequest(incoming)) ?? {};
    outgoing.writeHead(response?.status ?? 404, Object.fromEntries(response?.headers ?? []));
    await pipeline(response?.body ? Readable.fromWeb(response.body) : Readable.from([]), outgoing);
  })
  .listen(Number(port), '127.0.0.1');
