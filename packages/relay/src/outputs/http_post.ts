import { httpTarget } from '../transports/http/http_transport.ts';
import {
  addressJsonSchema,
  addressKeys,
  addressProblems,
  addressTarget,
  expectKey,
  headers,
  judgeAnswer,
  judgesAnswer,
  oauth2Key,
  oauth2Problems,
  ownContentType,
  postForm,
} from './http_outputs.ts';
import { outputType } from './output.ts';

export const httpPost = outputType({
  type: 'http_post',
  summary:
    'Posts the payload as `application/x-www-form-urlencoded`; a 4xx or 5xx answer, or one that is not what `expect` says, is a failed delivery.',
  keys: { ...addressKeys, headers, ...oauth2Key, ...expectKey },
  problems: (output) => [...addressProblems(output), ...oauth2Problems(output)],
  jsonSchema: addressJsonSchema,
  target: (output) => httpTarget(addressTarget(output), output.oauth2),
  message: postForm,
  verdict: judgeAnswer,
  judges: judgesAnswer,
  warnings: ownContentType,
});
