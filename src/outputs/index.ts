import { crmWeb2lead } from './crm_web2lead.ts';
import { email } from './email.ts';
import { httpPost } from './http_post.ts';
import { smtp } from './smtp.ts';

/** Every output type. Adding one is one file and one line here. */
export const outputTypes = [httpPost, email, crmWeb2lead, smtp] as const;
