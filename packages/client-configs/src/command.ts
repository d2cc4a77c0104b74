/** `relay clients`: lists the clients of CONFIG_DIR. */
import { colour, count } from '@form-relay/base/terminal';
import { command, flag } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { showProblems } from '@form-relay/yaml/problem';
import type { MergedConfig } from './members.ts';

const clients = command({
  name: 'clients',
  summary: 'list the clients of a folder, and their problems',
  description:
    'list the clients of CONFIG_DIR, or of the folder in --config, with their forms and problems; exit code 1 if one does not load',
  options: { json: flag('print a JSON array, for other programs') },
  examples: [
    ['relay --config clients clients', 'the clients of this folder'],
    ['relay --config clients clients --json', 'for programs'],
  ],
  run: async ({ json }, { tryConfig, print, fail }) => {
    const read = await tryConfig();
    if (!read.ok) throw fail(read.error);
    const all = (read.value as Partial<MergedConfig>).clients?.all;
    if (!all)
      throw fail(
        'this is a single config; set CONFIG_DIR or --config to a folder with a config for each client (docs/clients.md)',
      );
    const rows = all.map(({ client, config, problems }) => ({
      client: client.name,
      file: client.file,
      state: problems.length > 0 ? 'broken' : 'ok',
      forms: [...(config?.forms.keys() ?? [])],
      problems,
    }));
    if (json) {
      const shown = rows.map((row) => ({
        ...row,
        problems: row.problems.map(({ excerpt, meant, ...problem }) => problem),
      }));
      print(`${JSON.stringify(shown, null, 2)}\n`);
    } else {
      const width = Math.max(0, ...rows.map(({ client }) => client.length));
      for (const { client, file, state, forms, problems } of rows) {
        const says =
          state === 'ok' ? count(forms.length, 'form') : colour('red', 'does not load', process.stdout);
        print(`${client.padEnd(width)}  ${says}  ${file}\n`);
        if (problems.length > 0) print(`${showProblems(problems, process.stdout)}\n`);
      }
    }
    return rows.some(({ state }) => state === 'broken') ? 1 : 0;
  },
});

export const plugin: Plugin = { name: 'clients_command', commands: [clients] };
