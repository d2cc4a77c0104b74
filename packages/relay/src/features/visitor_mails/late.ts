export { confirmationMailSchema } from './confirmation_mail.ts';
export { doubleOptInSchema } from './double_opt_in.ts';
export { problemsOf } from './problems.ts';
