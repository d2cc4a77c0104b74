import { required } from '../schema/keys.ts';
import { httpUrl } from '../schema/kinds.ts';
import { httpTarget } from '../transports/http/http_message.ts';
import { contentTypeWarnings, headers, postForm } from './form_post_outputs.ts';
import { outputType } from './output.ts';

export const httpPost = outputType({
  type: 'http_post',
  summary:
    'Posts the payload as `application/x-www-form-urlencoded`; a 4xx or 5xx answer is a failed delivery.',
  keys: { url: required('Where to post. Never templated.', httpUrl()), headers },
  target: ({ url }) => httpTarget(url),
  message: postForm,
  warnings: contentTypeWarnings,
});
