import { didYouMean } from '../config/keys.ts';
import { renderForm, tokenLoader } from '../html/form.ts';
import { CommandFailed } from './command_failed.ts';
import { loadConfig } from './load_config.ts';

/** Prints the `<form>` element of a form. A min-fill token is fetched by the page, since one printed now would expire. */
export async function formHtml(name: string, configOption: string | undefined): Promise<void> {
  const { forms } = await loadConfig(configOption);
  const form = forms.get(name);
  if (!form) {
    const near = didYouMean(name, [...forms.keys()]);
    throw new CommandFailed(`there is no form "${name}"${near}; relay form list shows all of them`);
  }
  const token = form.spam?.minFill && tokenLoader(form);
  process.stdout.write(renderForm(form, { values: new Map(), errors: [], token }).toString());
}
