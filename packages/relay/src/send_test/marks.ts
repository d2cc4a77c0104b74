/** The marks of a test, on copies: what visitors send meanwhile through the same outputs bears none. */
import type { Effects } from '../base/effects.ts';
import type { FormOutput } from '../form.ts';
import { chatKeys } from '../outputs/chat_outputs.ts';
import { outputTypeOf } from '../outputs/index.ts';
import { Template } from '../schema/template/render.ts';
import type { Message } from '../transports/index.ts';

const testHeader = 'X-Form-Relay-Test';
const testWord = '[Test]';

/** The output, whose mails and chat messages are marked, and which sends each message once. */
export function markedOutput(output: FormOutput): FormOutput {
  const { message } = output;
  if (!message) return output;
  const type = outputTypeOf(output.type);
  const isChat = type?.keys.title === chatKeys.title;
  const titled = isChat ? withMarkedTitle(output) : output;
  return {
    ...output,
    retries: 0,
    message: (job, scope) => markedMail(isChat ? type.message(titled, job, scope) : message(job, scope)),
  };
}

interface Titled {
  readonly title?: Template | undefined;
  readonly form?: { readonly id: string; readonly title: string | undefined };
}

function withMarkedTitle(output: FormOutput): FormOutput {
  const { title, form } = output as Titled;
  const marked = new Template(
    title?.source ?? '',
    (scope) => `${testWord} ${title?.render(scope).trim() || form?.title || scope.formId}`,
    { fieldNames: title?.fieldNames ?? new Set(), pagePaths: title?.pagePaths ?? new Set() },
  );
  return Object.assign({ ...output }, { title: marked });
}

/** The message, marked if it is a mail. */
function markedMail<M extends Message>(message: M): M {
  if (message.via !== 'smtp' && message.via !== 'ses') return message;
  const others = [...(message.headers ?? [])].filter(
    ([name]) => name.toLowerCase() !== testHeader.toLowerCase(),
  );
  return {
    ...message,
    subject: `${testWord} ${message.subject}`,
    headers: new Map([...others, [testHeader, '1']]),
  };
}

/** A client that marks each request, those after a redirect and those for access tokens too. */
export const markedHttp =
  (http: Effects['http']): Effects['http'] =>
  (request) =>
    http({
      ...request,
      // Without a prototype, `__proto__` is an ordinary name.
      headers: Object.assign(Object.create(null), request.headers, { [testHeader.toLowerCase()]: '1' }),
    });
