/** Outputs in the studio's gallery. */

import { mailAccounts } from '@form-relay/clients/smtp/mail_services';
import { formStyle } from '@form-relay/element/built/style';
import { mailConfig } from '@form-relay/starters/mail_config';
import { type Recipe, recipes } from '@form-relay/starters/recipes';
import { type Template, templates } from '@form-relay/starters/templates';
import { pictureOf, viewOf } from './form_parts.ts';
import type { Parse } from './live_config.ts';
import type { StartingPoint, StartingPointsState } from './state.ts';

const recipesAlsoCalled: Readonly<Record<string, string>> = {
  smtp: 'email hotmail',
  google_sheets: 'excel spreadsheet table csv',
  apps_script: 'google sheets excel spreadsheet table',
  airtable: 'excel spreadsheet table',
  folder: 'file files csv excel spreadsheet disk json',
  s3: 'file files aws storage',
  http_post: 'url api script php',
  webhook: 'url api script',
};

const recipeTitles = new Set(recipes.map(({ title }) => title));

/** The providers of `relay init --mail`. */
const mailProviders = Object.entries(mailAccounts).map(([name, account]): Recipe => {
  const { title, host, otherHosts = [], alsoCalled = [], wantsOAuth } = account;
  const { text, wants, variables } = mailConfig(name, false);
  return {
    name: `mail/${name}`,
    title: recipeTitles.has(title) ? `${title} by SMTP` : title,
    page: 'docs/mail.md',
    config: text,
    needs: wantsOAuth ? `${wants}: no password is accepted` : wants,
    hosts: [host, ...otherHosts.map(([, other]) => other)],
    alsoCalled: ['email', ...alsoCalled].join(' '),
    variables,
  };
});

/** `email` is Amazon SES, which is one of the providers. */
export const gallery: readonly Recipe[] = [
  ...mailProviders,
  ...recipes
    .filter(({ name }) => name !== 'email')
    .map((recipe) => ({ ...recipe, alsoCalled: recipesAlsoCalled[recipe.name] })),
];

/** The templates, each with a picture of its form: `GET /studio/templates.json`. */
export const startingPoints = async (parse: Parse): Promise<StartingPointsState> => ({
  style: String(formStyle),
  templates: await Promise.all(templates.map((one) => startingPoint(one, parse))),
});

async function startingPoint(template: Template, parse: Parse): Promise<StartingPoint> {
  const parsed = await parse(template.config);
  const form = parsed.ok ? parsed.value.forms.get(template.name) : undefined;
  if (!form) throw new Error(`the template ${template.name} does not load`);
  // Rendered without scripts, because the picture is not interactive.
  const picture = String(pictureOf(form, viewOf(form, form.locale(undefined))));
  return { ...template, picture: picture.replaceAll(/<(script|noscript)\b.*?<\/\1>\n?/gs, '') };
}
