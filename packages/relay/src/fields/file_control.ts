import { attributes, type Html, html } from '../base/html.ts';
import type { Message, OneOf } from '../messages/message.ts';
import type { ControlState, Field } from './field.ts';
import { controlAttributes } from './text_like.ts';

interface Limits {
  readonly bytes: number;
  readonly files: number;
  /** As the attribute says it, and in words. */
  readonly accept: string | undefined;
  readonly kinds: OneOf;
}

/**
 * The control says what it refuses, so that a script can tell when a file is chosen (views/element/files): `{name}` is
 * the file's.
 */
export function fileControl(field: Pick<Field, 'name'>, state: ControlState, limits: Limits): Html {
  const say = (code: Message['code'], params?: Message['params']) =>
    state.say({ code, params: { name: '{name}', ...params } });
  return html`<input${attributes({
    type: 'file',
    ...controlAttributes(field, state, 'input'),
    autocomplete: undefined,
    multiple: limits.files > 1,
    accept: limits.accept,
    'data-max-size': limits.bytes,
    'data-too-large': say('file_too_large', { size: { bytes: limits.bytes } }),
    'data-max-files': limits.files,
    'data-too-many': say('too_many_files', { max: limits.files }),
    'data-empty': say('file_empty'),
    'data-not-accepted': limits.accept && say('file_not_accepted', { kinds: limits.kinds }),
  })}>`;
}
