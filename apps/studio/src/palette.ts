/** Every kind of part for a form, as the relay renders it. */

import { html } from '@form-relay/base/html';
import { textSource } from '@form-relay/config/source';
import { labelOf } from '@form-relay/core/fields/label';
import type { Plugin } from '@form-relay/core/index';
import { firstWording } from '@form-relay/core/messages/message';
import { formStyle } from '@form-relay/element/built/style';
import { bundledRegistry, inspectConfig } from '@form-relay/runtimes/inspect';
import { isInWords } from '@form-relay/visitor-mails/keys';
import { fieldPictures } from './form_parts.ts';
import type { Palette, PalettePart } from './state.ts';

/** Parts that are not field types. */
const layout: readonly Omit<PalettePart, 'purpose'>[] = [
  {
    type: 'note',
    title: 'Note',
    says: 'Text between two fields, or after the last. Never sent.',
    words: 'text paragraph heading hint information',
    picture: String(html`<p class="field-note">A few words for the visitor.</p>`),
    value: { note: 'A few words for the visitor.' },
  },
  {
    type: 'group',
    title: 'Group',
    says: 'A heading around fields that belong together, such as an address.',
    words: 'section heading fieldset legend address',
    picture: String(
      html`<fieldset class="field-group"><legend>Heading</legend><p class="field-note">The fields of the group.</p></fieldset>`,
    ),
    value: undefined,
  },
  {
    type: 'step',
    title: 'Step',
    says: 'Shows the form one step at a time. The next step begins here.',
    words: 'page break wizard multi-step heading',
    picture: String(html`<section class="form-step"><h3 class="form-step-title">Next step</h3></section>`),
    value: undefined,
  },
];

let made: Promise<Palette> | undefined;

/** Contains the field types of all bundled plug-ins, cached, and of these. */
export function palette(others: readonly Plugin[]): Promise<Palette> {
  if (others.length > 0) return make(others);
  made ??= make(others);
  return made;
}

async function make(others: readonly Plugin[]): Promise<Palette> {
  const { plugins } = await bundledRegistry(others);
  const types = plugins.flatMap(({ fields = [] }) => fields);
  const values = types.map(({ type, card }) => ({
    name: type,
    ...(type !== 'text' && { type }),
    ...card?.sample,
  }));
  // Names must be unique within a form.
  const fields = values.map((value, index) => ({ label: titled(value.name), ...value, name: `f${index}` }));
  const outputs = [{ type: 'http_post', url: 'https://example.com/', mapping: '*' }];
  // JSON is valid YAML.
  const text = JSON.stringify({ forms: { palette: { fields, outputs } } });
  const parsed = await inspectConfig(text, textSource('palette', text), { plugins: others });
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join(' '));
  const form = parsed.value.forms.get('palette');
  if (!form) throw new Error('there is no form');
  const pictures = fieldPictures(form, form.locale(undefined));
  const parts = types.map(({ type, summary, card }, index): PalettePart => {
    const field = form.fields[index];
    return {
      type,
      title: card?.title ?? titled(type),
      purpose: card?.purpose ?? 'Text',
      words: card?.words ?? '',
      says: summary,
      picture: field?.layout === 'bare' ? unseen : String(pictures[index]),
      value: values[index],
      idleKeys: card?.idleKeys ?? [],
      decides: field !== undefined && !field.inputs,
      isInMails: field !== undefined && isInWords(field),
    };
  });
  return {
    style: String(formStyle),
    parts: [...parts, ...layout.map((part) => ({ ...part, purpose: 'Layout' as const }))],
  };
}

const titled = (name: string) => labelOf({ name }, { text: firstWording, translate: ({ code }) => code });

const unseen = String(html`<p class="field-note">Visitors do not see it.</p>`);
