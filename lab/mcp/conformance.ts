/** `npm run conformance`: tests `relay mcp --http` with the Model Context Protocol's own suite. Gets Node 24 through npx. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join, resolve } from 'node:path';
import { tempFolder } from '../../scripts/machine.ts';
import { listen } from '../../test/support/listen.ts';
import { startProgram } from '../runtimes/mounts.ts';

const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const key = randomBytes(32).toString('hex');
const folder = tempFolder('conformance');
const config = join(folder, 'webform.yaml');
writeFileSync(
  config,
  'forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "http://127.0.0.1:9/", mapping: "*"}]}}\n',
);

const words = ['dist/relay.cjs', '--config', config, 'mcp', '--http', '0'];
const relay = await startProgram(process.execPath, words, { env: { ...process.env, MCP_KEY: key } });

/** The suite sends no key, so this proxy adds it. */
const withKey = http.createServer((request, answer) => {
  const { method, headers, url = '' } = request;
  const more = { authorization: `Bearer ${key}`, ...headers };
  const asked = http.request(new URL(url, relay.origin), { method, headers: more }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  answer.once('close', () => asked.destroy());
  request.pipe(asked.on('error', () => answer.destroy()));
});
const url = `http://127.0.0.1:${await listen(withKey)}/mcp`;
const expected = resolve('lab/mcp/expected_failures.yaml');
const options = ['--url', url, '--requirements', '2026-07-28', '--expected-failures', expected];
const tried = spawn('npx', ['--yes', '-p', 'node@24', '-p', suite, 'conformance', 'server', ...options], {
  cwd: folder,
  stdio: 'inherit',
});
process.exitCode = await new Promise<number>((ended) => tried.once('close', (code) => ended(code ?? 1)));
withKey.close();
withKey.closeAllConnections();
await relay.stop();
