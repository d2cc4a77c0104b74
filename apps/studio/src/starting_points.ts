import { formStyle } from '@form-relay/element/built/style';
import { type Template, templates } from '@form-relay/starters/templates';
import { pictureOf, viewOf } from './form_shape.ts';
import type { Parse } from './live_config.ts';
import type { StartingPoint, StartingPointsState } from './state.ts';

/** The templates, each with a picture of its form: `GET /studio/templates.json`. */
export const startingPoints = async (parse: Parse): Promise<StartingPointsState> => ({
  style: String(formStyle),
  templates: await Promise.all(templates.map((one) => startingPoint(one, parse))),
});

async function startingPoint(template: Template, parse: Parse): Promise<StartingPoint> {
  const parsed = await parse(template.config);
  const form = parsed.ok ? parsed.value.forms.get(template.name) : undefined;
  if (!form) throw new Error(`the template ${template.name} does not load`);
  // Without scripts, since nothing in it is ever used.
  const picture = String(pictureOf(form, viewOf(form, form.locale(undefined))));
  return { ...template, picture: picture.replaceAll(/<(script|noscript)\b.*?<\/\1>\n?/gs, '') };
}
