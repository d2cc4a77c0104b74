import type { Form } from '@form-relay/relay/base';
import { formStyle } from '@form-relay/relay/built/style';
import { renderForm } from '@form-relay/relay/pages';
import type { ConfigFile } from './live_config.ts';
import type { StartingPoint, StartingPointsState } from './state.ts';
import { type Template, templates } from './templates.ts';

/** The templates, each with a picture of its form: `GET /studio/templates.json`. */
export const startingPoints = async (parse: ConfigFile['parse']): Promise<StartingPointsState> => ({
  style: String(formStyle),
  templates: await Promise.all(templates.map((one) => startingPoint(one, parse))),
});

async function startingPoint(template: Template, parse: ConfigFile['parse']): Promise<StartingPoint> {
  const parsed = await parse(template.config);
  const form = parsed.ok ? parsed.value.forms.get(template.name) : undefined;
  if (!form) throw new Error(`the template ${template.name} does not load`);
  return { ...template, picture: pictureOf(form) };
}

/** As a visitor sees the form first, but for its scripts: nothing in it is ever used. */
const pictureOf = (form: Form): string =>
  String(renderForm(form, view)).replaceAll(/<(script|noscript)\b.*?<\/\1>\n?/gs, '');

const view = {
  base: '',
  values: new Map(),
  seen: [],
  errors: [],
  messages: [],
  medium: 'fragment',
} as const;
