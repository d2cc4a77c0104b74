// Writes V8's code cache of each module of the executable: node FLAGS scripts/executable_code_cache.ts FOLDER, by
// scripts/executable.ts. Functions that a first start and a first submission need are in it compiled.
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createLoader } from '../packages/cli/src/executable/modules.ts';

const [, , folder = ''] = process.argv;
const { load, compile, scripts } = createLoader({
  source: (name) => readFileSync(join(folder, name)),
  cache: () => undefined,
});

const sink = createServer((request, response) => request.resume().on('end', () => response.end()));
await once(sink.listen(0, '127.0.0.1'), 'listening');
const fields = '[{name: name, required: true}, {name: email, type: email}, {name: message, type: textarea}]';
const outputs = `[{type: http_post, url: "http://127.0.0.1:${(sink.address() as AddressInfo).port}", mapping: "*"}]`;
process.env.CONFIG_INLINE = `forms: {contact: {fields: ${fields}, outputs: ${outputs}}}`;
process.env.HOST = '127.0.0.1';
process.env.PORT = '0';
process.env.LOG_LEVEL = 'error';

const origin = new Promise<string>((resolve) => {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string | Uint8Array, ...rest: never[]) => {
    const [found] = /http:\/\/[\w.:]+/.exec(String(text)) ?? [];
    if (found) resolve(found);
    return found ? true : write(text, ...rest);
  };
});
load('cli/serve_plainly.cjs');
const api = `${await origin}/api/v1`;
await (await fetch(`${api}/form/contact`)).text();
const body = new URLSearchParams({ name: 'Ada', email: 'ada@example.org', message: 'Hello' });
const answer = await fetch(`${api}/submit/contact`, { method: 'POST', body });
if (answer.status !== 200) throw new Error(`the submission got ${answer.status}`);

for (const file of readdirSync(join(folder, 'cli'))) {
  if (!file.endsWith('.cjs')) continue;
  const name = `cli/${file}`;
  const to = join(folder, 'code_cache', name);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, (scripts.get(name) ?? compile(name)).createCachedData());
}
process.exit(0);
