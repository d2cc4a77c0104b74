/** OpenAPI 3.1 for the forms that a relay lists, and for its API. */

import { apiPath } from '@form-relay/core/html/element_ids';
import type { Feature, Form, Route } from '@form-relay/core/index';
import { type JsonSchema, objectSchema } from './field_schema.ts';
import { inLanguage } from './form_schema.ts';
import whole from './openapi.json' with { type: 'json' };

/** @param base The relay's address without a final slash. */
export function openApi(forms: readonly Form[], features: readonly Feature[], base: string): JsonSchema {
  const keyOf = ({ id }: Form) => id.replaceAll(/[^\w.-]/g, '_');
  const keyed = forms.map((form, index) => {
    const isTaken = forms.slice(0, index).some((one) => keyOf(one) === keyOf(form));
    return [`${keyOf(form)}${isTaken ? `_${index + 1}` : ''}`, form] as const;
  });
  return {
    ...whole,
    servers: [{ url: base || '/' }],
    paths: { ...whole.paths, ...Object.assign({}, ...keyed.map((one) => pathsOf(...one, features))) },
    components: {
      ...whole.components,
      requestBodies: Object.fromEntries(keyed.map(([key, form]) => [key, bodyOf(form)])),
    },
  };
}

const to = (kind: string, key: string) => ({ $ref: `#/components/${kind}/${key}` });

function pathsOf(key: string, form: Form, features: readonly Feature[]): JsonSchema {
  const { id, title, firstLocale, provided } = form;
  const about = { tags: [id], ...(provided.get('keys') ? { security: [{}, { key: [] }] } : {}) };
  const sending = { ...about, requestBody: to('requestBodies', key) };
  const refused = { default: to('responses', 'Refused') };
  const own = {
    submit: {
      post: {
        operationId: `submit_${key}`,
        summary: title === undefined ? id : firstLocale.text(title),
        ...sending,
        responses: { 200: to('responses', 'Sent'), ...refused },
      },
    },
    check: {
      post: {
        operationId: `check_${key}`,
        summary: 'Returns the errors, and sends nothing',
        ...sending,
        responses: { 204: to('responses', 'Checked'), ...refused },
      },
    },
    form: {
      get: {
        operationId: `form_${key}`,
        summary: 'The form',
        ...about,
        parameters: ['as', 'lang'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
        responses: { 200: to('responses', 'Form'), ...refused },
      },
    },
  };
  const used = features.filter(({ name }) => provided.get(name as never) !== undefined);
  const theirs = used.flatMap(({ name, routes = [] }) => routes.flatMap((route) => itemsOf(route, name)));
  const items = Object.entries({ ...Object.fromEntries(theirs), ...own });
  return Object.fromEntries(
    items.map(([route, item]) => {
      const [name = '', parameter] = route.split('.');
      return [apiPath('', name, id) + (parameter ? `/{${parameter}}` : ''), item];
    }),
  );
}

const known = Object.keys(whole.components.pathItems);

/** Descriptions of a feature's route, and of the addresses below it (`ask.id`). Other routes list only their methods. */
function itemsOf({ name, method }: Route, feature: string): readonly (readonly [string, JsonSchema])[] {
  const described = known.filter((one) => one === name || one.startsWith(`${name}.`));
  if (described.length > 0) return described.map((one) => [one, to('pathItems', one)]);
  const operation = { summary: `Of \`${feature}\``, responses: { default: to('responses', 'Answer') } };
  return [
    [
      name,
      Object.fromEntries(
        method
          .toLowerCase()
          .split(', ')
          .map((verb) => [verb, operation]),
      ),
    ],
  ];
}

/** The values of a submission, in each media type that the form accepts. */
function bodyOf(form: Form): JsonSchema {
  const { inputs, fields, reservedNames, provided, firstLocale: locale } = form;
  const showing = { locale, values: new Map() };
  const { $schema: _, properties, ...json } = inLanguage(form, { ...showing, base: '' });
  // Urlencoded bodies contain a field's inputs under their own names, and conditions refer to fields.
  const named = inputs.map((input) => [input.name, input] as const);
  const flat = inputs.length === fields.length ? { properties, ...json } : objectSchema(named, showing);
  const further = [...reservedNames].filter((name) => name !== provided.get('honeypot'));
  const more = Object.fromEntries(further.map((name) => [name, { type: 'string' }]));
  const files = fields.filter(({ takeFiles }) => takeFiles);
  const encoding = Object.fromEntries(files.map(({ name }) => [name, { contentType: '*/*' }]));
  const content = (type: string) => {
    const own: JsonSchema = type === 'application/json' ? { properties, ...json } : flat;
    const schema = { ...own, properties: { ...(own.properties as object), ...more } };
    return { schema, ...(type === 'multipart/form-data' && files.length > 0 && { encoding }) };
  };
  const types = [...form.bodies.values()].map(({ mediaType }) => mediaType);
  return { required: true, content: Object.fromEntries(types.map((type) => [type, content(type)])) };
}
