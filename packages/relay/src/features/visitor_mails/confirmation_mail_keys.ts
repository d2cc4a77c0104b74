import { visitorMailKeys, visitorMailSection } from './visitor_mail_keys.ts';

export const confirmationMailKeys = visitorMailKeys;

/** What stands under `confirmation_mail`. */
export const confirmationMailSchema = visitorMailSection(confirmationMailKeys);
