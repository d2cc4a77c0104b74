import { httpTarget } from '../transports/http/http_message.ts';
import { addressJsonSchema, addressKeys, addressProblems, addressTarget } from './address.ts';
import { contentTypeWarnings, headers, postForm } from './form_post_outputs.ts';
import { outputType } from './output.ts';

export const httpPost = outputType({
  type: 'http_post',
  summary:
    'Posts the payload as `application/x-www-form-urlencoded`; a 4xx or 5xx answer is a failed delivery.',
  keys: { ...addressKeys, headers },
  problems: addressProblems,
  jsonSchema: addressJsonSchema,
  target: (output) => httpTarget(addressTarget(output)),
  message: postForm,
  warnings: contentTypeWarnings,
});
