/** Comments in a site's sources say what its owner pastes where. */

import { snippets } from '../../apps/studio/src/state_of.ts';
import type { Form } from '../../packages/core/src/form.ts';

/** `<!-- studio: Vue, part 2 -->` is replaced by the second part that *Put it on my site* shows for Vue. */
export function pasteSnippets(text: string, form: Form, relay: string): string {
  const marks = /^( *)([^\n]*?)(?:<!--|\{?\/\*) studio: ([\w ]+?)(?:, part (\d))?\s*(?:-->|\*\/\}?)/gm;
  const all = snippets(form, form.locale(undefined), relay);
  return text.replace(marks, (_, indent: string, before: string, name: string, part = '1') => {
    const code = all.find((one) => one.name === name)?.parts[Number(part) - 1]?.code;
    if (code === undefined) throw new Error(`the studio shows nothing for ${name}, part ${part}`);
    return indent + before + code.replaceAll('\n', `\n${indent}`);
  });
}

/** `<!-- relay form html contact --script -->` is replaced by this command's output. */
export const printMark = /<!-- relay (form html [^>]+) -->/g;
