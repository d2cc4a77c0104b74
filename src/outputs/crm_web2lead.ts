import { httpUrl, required } from '../schema/kinds.ts';
import { outputType } from './output.ts';
import { contentTypeWarnings, headers, postForm, postTarget } from './post_form.ts';

export const crmWeb2lead = outputType({
  type: 'crm_web2lead',
  summary: "Posts a lead to a CRM's lead-capture endpoint, just as `http_post` does.",
  keys: {
    url: required("The CRM's lead-capture endpoint. Never templated.", httpUrl()),
    headers,
  },
  target: postTarget,
  channel: ({ url }) => ({ kind: 'http', url }),
  warnings: contentTypeWarnings,
  deliver: async (output, delivery) => {
    const answer = await postForm(output, delivery);
    // Salesforce answers 200 to leads that it drops; only this header tells.
    if (answer.headers['is-processed']?.includes('Exception')) {
      delivery.warn('the CRM answered that it rejected the lead (Is-Processed: Exception)');
    }
  },
});
