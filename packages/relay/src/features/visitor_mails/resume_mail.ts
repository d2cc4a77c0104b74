import type { Form } from '../../form.ts';
import { Template } from '../../schema/template/render.ts';
import type { Resume, VisitorMail } from './visitor_mail.ts';

/** The mail with the words of the form's language where the owner has none. `until`: the link's end, in milliseconds since the epoch. */
export function resumeMail(
  asked: Resume,
  form: Pick<Form, 'say' | 'id' | 'title'>,
  until?: number,
): VisitorMail {
  const params = { title: form.title ?? form.id, time: until === undefined ? '' : moment(until, asked.zone) };
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

const format = {
  calendar: 'gregory',
  ...({ day: 'numeric', month: 'long', year: 'numeric' } as const),
  ...({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const),
};

/** A day and time in words. English of no country has the day before the month, and 24 hours. */
const moment = (at: number, timeZone = 'UTC') => ({
  spell: ([language = 'en', ...others]: readonly string[]) =>
    new Intl.DateTimeFormat([language === 'en' ? 'en-GB' : language, ...others], {
      ...format,
      timeZone,
    }).format(at),
});
