import type { HttpAnswer } from '../base/effects.ts';
import { httpTarget } from '../transports/http/http_transport.ts';
import {
  addressJsonSchema,
  addressKeys,
  addressProblems,
  addressTarget,
  expectKey,
  headers,
  judgeAnswer,
  oauth2Key,
  oauth2Problems,
  ownContentType,
  postForm,
} from './http_outputs.ts';
import { outputType } from './output.ts';

export const crmWeb2lead = outputType({
  type: 'crm_web2lead',
  summary: "Posts a lead to a CRM's lead-capture endpoint, just as `http_post` does.",
  keys: { ...addressKeys, headers, ...oauth2Key, ...expectKey },
  problems: (output) => [...addressProblems(output), ...oauth2Problems(output)],
  jsonSchema: addressJsonSchema,
  target: (output) => httpTarget(addressTarget(output), output.oauth2),
  message: postForm,
  // Salesforce answers 200 to leads that it drops; only this header tells.
  verdict: (output, answer: HttpAnswer) => {
    judgeAnswer(output, answer);
    return answer.headers['is-processed']?.includes('Exception') ? ['lead_rejected'] : [];
  },
  warnings: ownContentType,
});
