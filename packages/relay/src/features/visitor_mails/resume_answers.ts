import { resumeField } from '../../api_urls.ts';
import { attributes, type Html, html } from '../../base/html.ts';
import { backClass, withOwn } from '../../fields/classes.ts';
import type { Addition, Form, FormView } from '../../form.ts';

/** It sends the form like any other button, but for what browsers demand. */
export const button = (form: Form, { medium }: FormView): Addition => ({
  after: html`\n<p>${markup(form)}</p>`,
  part: medium === 'script' ? 'resume' : undefined,
});

const markup = ({ say, classes }: Form): Html => {
  const name = withOwn('form-resume', backClass(classes));
  return html`<button${attributes({ type: 'submit', name: resumeField, value: '1', formnovalidate: true, class: name })}>${say({ code: 'resume_button' })}</button>`;
};
