import { failures, inBrackets } from '@form-relay/core/kit';

interface ServiceCode {
  /** The service's own error code, if it gave one. */
  readonly code?: string | undefined;
}

export const failed = failures({
  http_status: ({ status, isElsewhere, code }: { status: number; isElsewhere: boolean } & ServiceCode) =>
    `the server answered ${status}${inBrackets(code)}${isElsewhere ? ' after a redirect to another origin' : ''}`,
  service_refused: ({ code }: ServiceCode) =>
    `the service answered that it did not take it${inBrackets(code)}`,
  answer_unexpected: ({ expected, code }: { expected: string } & ServiceCode) =>
    `the answer is not what \`expect\` says: ${expected}${inBrackets(code)}`,
  answer_cut: "the service's answer is longer than 64 KB, or did not come to its end",
  answer_coded: ({ coding }: { coding: string }) =>
    `the answer has the content coding ${coding}, which the relay neither asked for nor can undo`,
  token_malformed: ({ key }: { key: string }) =>
    `\`${key}\` holds no token; is it the right environment variable, and all on one line?`,
  address_without_topic: ({ name }: { name: string }) => `\`${name}\` ends with no topic`,
  chat_moved: ({ to }: { to: number }) =>
    `the group became a supergroup, which has another id; write \`chat_id: "${to}"\``,
  timed_out: ({ timeoutMs }: { timeoutMs: number }) => `no complete answer within ${timeoutMs} ms`,
  rendered_empty: ({ key }: { key: string }) => `\`${key}\` rendered empty; is its environment variable set?`,
  seal_file_unread: ({ path, reason }: { path: string; reason: string }) =>
    `${path}, which \`seal_to_file\` names, cannot be read: ${reason}`,
  seal_file_empty: ({ path }: { path: string }) =>
    `${path}, which \`seal_to_file\` names, holds no key; write one such as age1… on a line`,
  seal_file_malformed: ({ path, line, problem }: { path: string; line: number; problem: string }) =>
    `line ${line} of ${path}, which \`seal_to_file\` names, ${problem}`,
  folder_missing: ({ path }: { path: string }) =>
    `there is no folder ${path}; make it, or mount what should be there: the relay never makes it`,
  folder_is_none: ({ path }: { path: string }) => `${path} is no folder`,
  folder_denied: ({ path }: { path: string }) => `this user may not write into ${path}`,
  folder_read_only: ({ path }: { path: string }) => `${path} is on a file system that is mounted read-only`,
  folder_full: ({ path }: { path: string }) => `there is no room left where ${path} is`,
  folder_with_link: ({ path }: { path: string }) =>
    `a folder inside ${path} is a link or a file, which the relay neither follows nor replaces`,
  folder_failed: ({ path, code }: { path: string; code: string }) =>
    `${path} cannot be written into (${code})`,
});
