import { failures, inBrackets, outputWords } from '@form-relay/base/client_error';
import { folderWords } from '@form-relay/clients/folder';
import type { ServiceCode } from '@form-relay/core/index';

export const failed = failures({
  ...outputWords,
  ...folderWords,
  answer_unexpected: ({ expected, code }: { expected: string } & ServiceCode) =>
    `the answer does not match \`expect\`: ${expected}${inBrackets(code)}`,
  answer_compressed:
    'the response is compressed, although the relay requested an uncompressed one (Accept-Encoding: identity)',
  timed_out: ({ timeoutMs }: { timeoutMs: number }) => `no complete response within ${timeoutMs} ms`,
});
