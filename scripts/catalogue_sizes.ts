import { rolldown } from 'rolldown';
import type { OutputType } from '../packages/core/src/outputs/output.ts';
import { loadUnit } from '../packages/plugin-host/src/catalogue_unit.ts';
import { catalogue } from '../packages/runtimes/src/catalogue.ts';
import { scalarText } from '../packages/yaml/src/scalar.ts';

/**
 * Generates packages/starters/src/catalogue.json: each unit's description, its minified size in KB including
 * libraries, and a config for each of its outputs.
 */
export async function catalogueSizes(): Promise<string> {
  const units = Object.entries(catalogue).map(async ([name, load]) => {
    const { summary, outputs = [] } = (await loadUnit(load)).plugin();
    const samples = outputs.flatMap((one) => (one.sample ? [sampleOf(one, one.sample)] : []));
    const kilobytes = await kilobytesOf(`catalogue/${name}.ts`);
    return [name, { summary, kilobytes, ...(samples.length > 0 && { samples }) }] as const;
  });
  return `${JSON.stringify(Object.fromEntries(await Promise.all(units)), null, 2)}\n`;
}

async function kilobytesOf(input: string): Promise<number> {
  const build = await rolldown({ input, platform: 'node' });
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false });
  await build.close();
  return Math.ceil(Buffer.byteLength(output[0].code) / 1_024);
}

function sampleOf({ type, title = type, summary, keys }: OutputType, sample: object) {
  const lines = Object.entries(sample).flatMap(([key, value]) => [
    `# ${key === 'url_env' ? 'The variable that holds the address.' : keys[key]?.doc}`,
    `${key}: ${typeof value === 'string' ? scalarText(value, 'block', undefined, "'") : JSON.stringify(value)}`,
  ]);
  const config = `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      # ${summary}
      - type: ${type}
${lines.map((line) => `        ${line}\n`).join('')}`;
  return { name: type, title, summary, config };
}
