import { rolldown } from 'rolldown';
import { loadUnit } from '../packages/plugin-host/src/catalogue_unit.ts';
import { catalogue } from '../packages/runtimes/src/catalogue.ts';

/** The text of packages/starters/src/catalogue.json: for each unit, its sentence and its size with its libraries, minified, in KB. */
export async function catalogueSizes(): Promise<string> {
  const units = Object.entries(catalogue).map(async ([name, load]) => {
    const { summary } = (await loadUnit(load)).plugin();
    return [name, { summary, kilobytes: await kilobytesOf(`catalogue/${name}.ts`) }] as const;
  });
  return `${JSON.stringify(Object.fromEntries(await Promise.all(units)), null, 2)}\n`;
}

async function kilobytesOf(input: string): Promise<number> {
  const build = await rolldown({ input, platform: 'node' });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  return Math.ceil(Buffer.byteLength(output[0].code) / 1_024);
}
