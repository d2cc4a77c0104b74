/** `attributes`: HTML attributes for the control of a field. None may run code or change what is sent. */

import { fieldExtension } from '@form-relay/core/extensions';
import type { Field, Plugin } from '@form-relay/core/index';
import { record } from '@form-relay/schema/collections';
import { either } from '@form-relay/schema/diagnostics';
import { boolean, localizedText, name, oneOf } from '@form-relay/schema/scalars';
import { jsonSchemaOf, optional, type Schema, schema } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';

/** The allowed HTML attributes, with their values. */
const known: Readonly<Record<string, Schema<unknown>>> = {
  inputmode: oneOf(['none', 'text', 'decimal', 'numeric', 'tel', 'search', 'email', 'url']),
  enterkeyhint: oneOf(['enter', 'done', 'go', 'next', 'previous', 'search', 'send']),
  autocapitalize: oneOf(['off', 'none', 'on', 'sentences', 'words', 'characters']),
  autocorrect: oneOf(['on', 'off']),
  spellcheck: boolean(),
  list: name(),
  title: (words) => words,
};

/** The relay's script reads these from controls, or finds elements by them. */
const ofRelay =
  /^data-(beside|challenge|file-.*|forgotten|form-.*|max-size|min-fill-ms|n|name|proof|rest|step|when|wrong)$/;

/** Attributes that run code in htmx, AngularJS, Alpine, Datastar, Knockout, hyperscript, Dojo, Rivets or jQuery UJS. */
const ofLibraries =
  /^data-(hx|ng|x|attr|bind|class|computed|custom-validity|effect|init|on|show|signals|style|text|script|dojo|rv|remote)(-|$)/;

function problemOf(key: string): string | undefined {
  if (ofRelay.test(key)) return 'the relay’s script uses this name; choose another';
  if (ofLibraries.test(key)) return 'a library on the page would run this as code; choose another name';
  if (/^data-[a-z][a-z0-9-]*$/.test(key) || Object.hasOwn(known, key)) return undefined;
  if (key === 'class') return 'class names go in classes, not in attributes: classes: {input: …}';
  const names = Object.keys(known);
  return `not an attribute to set here; expected data-…, ${either(names)}${didYouMean(nearest(key, names))}`;
}

const value = localizedText();
const attributes = schema<Field['attributes']>(
  { type: 'object', additionalProperties: jsonSchemaOf(value) },
  (written, at) => {
    const read = record(value, problemOf, '{inputmode: numeric}')(written, at);
    if (!read) return undefined;
    for (const [key, one] of read) known[key]?.(one, at.in(key));
    return ({ text }) => Object.fromEntries([...read].map(([key, one]) => [key, text(one)]));
  },
);

const extension = fieldExtension({
  name: 'attributes',
  types: 'text email url tel textarea number date time datetime select country'.split(' '),
  keys: {
    attributes: optional(
      'HTML attributes of the control (`{inputmode: numeric}`): `inputmode`, `enterkeyhint`, `autocapitalize`, `autocorrect`, `spellcheck`, `title`, `list` (the id of a `<datalist>` in your page), and `data-…` for your scripts and styles, but none that a library such as htmx runs as code.',
      attributes,
    ),
  },
  configure: () => undefined,
});

export const plugin: Plugin = { name: 'attributes', fieldExtensions: [extension] };
