import type { Form } from '../../form.ts';
import { momentWords } from '../../messages/moment_words.ts';
import { Template } from '../../schema/template/render.ts';
import type { Resume, VisitorMail } from './visitor_mail.ts';

/** The mail with the words of the form's language where the owner has none. `until`: the link's end, in milliseconds since the epoch. */
export function resumeMail(
  asked: Resume,
  form: Pick<Form, 'say' | 'id' | 'title'>,
  until?: number,
): VisitorMail {
  const params = {
    title: form.title ?? form.id,
    time: until === undefined ? '' : momentWords(until, asked.zone),
  };
  const say = (code: 'resume_subject' | 'resume_text') => {
    const words = form.say({ code, params });
    return new Template(words, words);
  };
  return {
    ...asked,
    subject: asked.subject ?? say('resume_subject'),
    text: asked.text ?? [say('resume_text')],
  };
}
