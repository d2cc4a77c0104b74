import type { RelayResponse } from '../base/http.ts';
import type { Soon } from '../base/soon.ts';
import { publicKeys } from '../features/receipt/code.ts';
import type { AnswerContext } from './answer_context.ts';
import { jsonAnswer } from './json_answer.ts';
import { failure } from './respond.ts';

/** With what receipts are checked: a JSON Web Key Set (RFC 7517, 5). */
export const receiptsAnswer = (context: AnswerContext): Soon<RelayResponse> =>
  context.settings.receiptSecrets.length > 0
    ? jsonAnswer(200, { keys: publicKeys(context.settings.receiptSecrets) })
    : failure(404, { code: 'unknown_page' }, context);
