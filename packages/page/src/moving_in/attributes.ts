import type { Control } from '../check/form_controls.ts';
import { groupBy, type PageElement } from '../check/markup.ts';
import { quote, quoteAll } from '../check/page_finding.ts';
import { hints } from './drafts.ts';
import { note, type Remark, when } from './remark.ts';

/** Attributes of controls and forms that an import reads, or that say how a page looks or is read aloud. */
const known = new Set(
  'accept accept-charset action aria-describedby aria-hidden aria-label aria-labelledby aria-required autocomplete checked class cols dir disabled enctype for form hidden id inert lang list max maxlength method min minlength multiple name netlify netlify-honeypot novalidate pattern placeholder rel required role rows selected size step style tabindex target title type value wrap accesskey autofocus'.split(
    ' ',
  ),
);
const meaningless = /^(aria-|data-|hx-|x-|v-|ng-|@|:|_|xmlns)/;

/** A remark for each attribute that nothing here does, with the fields that have it. */
export function attributesLost(form: PageElement, questions: readonly Control[]): readonly Remark[] {
  const isLost = (name: string) => !known.has(name) && !hints.includes(name) && !meaningless.test(name);
  const found = questions.flatMap(({ name, element }) =>
    [...element.attributes.keys()].filter(isLost).map((attribute) => ({ attribute, name })),
  );
  const ofForm = [...form.attributes.keys()].filter(isLost);
  const formText = `the attributes ${quoteAll(ofForm)} of the form are left out: nothing in the config does what they do`;
  return [
    ...[...groupBy(found, ({ attribute }) => attribute)].map(([attribute, all]) => {
      const names = quoteAll([...new Set(all.map(({ name }) => name))]);
      return note(
        `the attribute ${quote(attribute)} of ${names} is left out: nothing in the config does what it does`,
      );
    }),
    ...when(ofForm.length > 0, note(formText)),
  ];
}
