import type { Config } from '@form-relay/core/config';
import { quoted } from '@form-relay/dry-run/samples';
import { checkPage } from '@form-relay/page/check/check_page';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig } from './load_config.ts';
import { readPageFile } from './read_page.ts';
import { colour, count, showProblems } from './terminal.ts';
import type { GlobalOptions } from './usage.ts';

export interface CompareOptions extends GlobalOptions {
  /** Which one of the config; needless where it has one. */
  readonly form?: string;
  /** The address that the form must send to. */
  readonly baseUrl?: string;
  /** Print the findings as JSON. */
  readonly json?: boolean;
}

/** Compares the forms of a page with the config. Warnings do not change the exit code. */
export async function comparePage(
  page: string,
  { form: wanted, baseUrl, json = false, config: configOption }: CompareOptions,
): Promise<void> {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const config = await loadConfig(configOption);
  const form = wanted ?? onlyForm(config);
  const subject = { config: findForm(config, form), formIds: [...config.forms.keys()] };
  const { text, encoding } = await readPageFile(page);
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
  if (errors > 0) throw new CommandFailed(`${shown}\n\n${counts}: ${page} does not fit the form "${form}"`);
  if (warnings > 0) process.stderr.write(`${shown}\n`);
  const said = isLoaded ? ': the page gets this form from the relay' : '';
  process.stdout.write(`${colour('green', 'ok', process.stdout)}${counts && ` (${counts})`}${said}\n`);
}

function onlyForm({ forms }: Config): string {
  const [form, ...others] = [...forms.keys()].toSorted();
  if (form !== undefined && others.length === 0) return form;
  const listed = [form, ...others].slice(0, 10).map((id) => `\n  --form ${quoted(id ?? '')}`);
  const which =
    form === undefined ? 'no form' : `${others.length + 1} forms; say which one${listed.join('')}`;
  throw new CommandFailed(`the config has ${which}`);
}
