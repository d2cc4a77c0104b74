export { confirmationMailSchema } from './confirmation_mail.ts';
export { problemsOf } from './problems.ts';
