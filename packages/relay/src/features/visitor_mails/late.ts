export { confirmationMailSchema } from './confirmation_mail_keys.ts';
export { doubleOptInSchema } from './double_opt_in_keys.ts';
export { problemsOf } from './problems.ts';
