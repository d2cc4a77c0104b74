/**
 * On Node 20, an object literal that starts with a spread and adds keys gives each object its own hidden
 * class: twice the time and memory for a config of 10,000 forms.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { tempFolder } from '../support/temp_folder.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const templates = at('packages/starters/templates');
const copies = 30;

/** How many hidden classes V8 creates for added keys while `relay config validate` reads the config. */
function classesFor(config: object): number {
  const folder = tempFolder();
  const [file, log] = [join(folder, 'webform.yaml'), join(folder, 'v8.log')];
  writeFileSync(file, JSON.stringify(config));
  const flags = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`];
  execFileSync(process.execPath, [...flags, at('dist/relay.cjs'), '--config', file, 'config', 'validate'], {
    stdio: 'ignore',
  });
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('map,Transition,')).length;
}

test('similar forms share nearly all hidden classes', () => {
  const read = readdirSync(templates).map((name) => parse(readFileSync(join(templates, name), 'utf8')));
  const some = (most: number) => {
    const forms = read.flatMap((config) =>
      Object.entries(config.forms).flatMap(([name, form]) =>
        Array.from({ length: most }, (_, copy) => [`${name}_${copy}`, form] as const),
      ),
    );
    return { keep: read.find((config) => config.keep)?.keep, forms: Object.fromEntries(forms) };
  };
  const more = classesFor(some(copies)) - classesFor(some(1));
  // Without sharing, each field and each output would have twenty.
  expect(more / (read.length * (copies - 1))).toBeLessThan(20);
});
