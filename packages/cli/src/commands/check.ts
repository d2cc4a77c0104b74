import { colour, count, quoted } from '@form-relay/base/terminal';
import {
  type CommandContext,
  CommandFailed,
  command,
  findForm,
  flag,
  needed,
  option,
} from '@form-relay/core/command';
import type { Config } from '@form-relay/core/config';
import type { Plugin } from '@form-relay/core/plugin';
import { checkPage, pageName, readPageFile } from '@form-relay/page/check/check_page';
import { loadConfig } from '@form-relay/runtimes/config_file';
import { anyText } from '@form-relay/schema/scalars';
import { showProblems } from '@form-relay/yaml/problem';
import { relayAddress } from '../shared_options.ts';

const check = command({
  name: 'check',
  summary: 'compare a page with a form in the config',
  description: 'compare the forms on a page with the config: fields, options, address, method, checks',
  arguments: { page: needed('page', 'an HTML file', pageName) },
  options: {
    form: option('name', 'the form to compare the page with, if the config has several', anyText),
    baseUrl: option('url', "the relay's address, to which the page must send", relayAddress),
    json: flag('print the findings as JSON'),
  },
  notes: 'Exit code: 0 if the page matches (warnings do not count), 1 if it does not.',
  examples: [
    [
      'relay check public/contact.html --form contact',
      'each problem that visitors would have, with its line in the page',
    ],
  ],
  run: ({ page, ...options }, context) => comparePage(page, options, context),
});

export const plugin: Plugin = { name: 'check', commands: [check] };

interface CompareOptions {
  /** The form's name. Not needed if the config has only one form. */
  readonly form: string | undefined;
  /** The URL that the form must send to. */
  readonly baseUrl: string | undefined;
  /** Print the findings as JSON. */
  readonly json: true | undefined;
}

/** Compares the forms of a page with the config. Warnings do not change the exit code. */
async function comparePage(
  page: string,
  { form: wanted, baseUrl, json }: CompareOptions,
  context: CommandContext,
): Promise<void> {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const config = await loadConfig(context.configOption);
  const form = wanted ?? onlyForm(config);
  const subject = { config: findForm(config, form), formIds: [...config.forms.keys()] };
  const { text, encoding } = await readPageFile(page, context);
  const { problems, isLoaded } = await checkPage(text, page, { ...subject, baseUrl: base, encoding });
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) process.exitCode = 1;
  if (json) {
    const shown = problems.map(({ excerpt, meant, path, ...problem }) => problem);
    process.stdout.write(`${JSON.stringify({ ok: errors === 0, problems: shown }, null, 2)}\n`);
    return;
  }
  const warnings = problems.length - errors;
  const counted = [count(errors, 'error'), count(warnings, 'warning')];
  const counts = counted.filter((text) => !text.startsWith('0 ')).join(', ');
  const shown = showProblems(problems, process.stderr);
  if (errors > 0) throw new CommandFailed(`${shown}\n\n${counts}: ${page} does not match the form "${form}"`);
  if (warnings > 0) process.stderr.write(`${shown}\n`);
  const said = isLoaded ? ': the page gets this form from the relay' : '';
  process.stdout.write(`${colour('green', 'ok', process.stdout)}${counts && ` (${counts})`}${said}\n`);
}

function onlyForm({ forms }: Config): string {
  const [form, ...others] = [...forms.keys()].toSorted();
  if (form !== undefined && others.length === 0) return form;
  const listed = [form, ...others].slice(0, 10).map((id) => `\n  --form ${quoted(id ?? '')}`);
  const which =
    form === undefined ? 'no form' : `${others.length + 1} forms; choose one of them:${listed.join('')}`;
  throw new CommandFailed(`the config has ${which}`);
}
