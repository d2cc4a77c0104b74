import type { HttpAnswer } from '../effects.ts';
import { required } from '../schema/keys.ts';
import { httpUrl } from '../schema/kinds.ts';
import { httpTarget } from '../transports/http/http_message.ts';
import { contentTypeWarnings, headers, postForm } from './form_post_outputs.ts';
import { outputType } from './output.ts';

export const crmWeb2lead = outputType({
  type: 'crm_web2lead',
  summary: "Posts a lead to a CRM's lead-capture endpoint, just as `http_post` does.",
  keys: { url: required("The CRM's lead-capture endpoint. Never templated.", httpUrl()), headers },
  target: ({ url }) => httpTarget(url),
  message: postForm,
  // Salesforce answers 200 to leads that it drops; only this header tells.
  verdict: ({ headers }: HttpAnswer) =>
    headers['is-processed']?.includes('Exception') ? ['lead_rejected'] : [],
  warnings: contentTypeWarnings,
});
