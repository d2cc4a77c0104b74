/** The fields and outputs of the specification, as a plug-in, and the members that only the core sees. */

import { amountTypes } from './fields/amounts.ts';
import { choiceTypes } from './fields/choices.ts';
import { textLikeTypes } from './fields/text.ts';
import type { FieldHookSeams, HookSeams, OutputHookSeams, PluginSeams } from './internal.ts';
import { httpOutputs } from './outputs/http.ts';
import { mailOutputs } from './outputs/mail.ts';
import type { Plugin } from './plugin.ts';

// The published types for plug-ins do not include this file.
declare module './plugin.ts' {
  interface Plugin extends PluginSeams {}
  interface Hooks<N extends string = string> extends HookSeams {}
}
declare module './config.ts' {
  interface Config extends ConfigInternals {}
}
declare module './form.ts' {
  interface Form extends FormInternals {}
}
declare module './outputs/output.ts' {
  interface FormOutput extends OutputInternals {}
}
declare module './extensions.ts' {
  interface FieldHooks extends FieldHookSeams {}
  interface OutputHooks extends OutputHookSeams {}
}

export const corePlugin: Plugin = {
  name: 'core',
  fields: [...textLikeTypes, ...amountTypes, ...choiceTypes],
  outputs: [...httpOutputs, ...mailOutputs],
};
