import type { RelayResponse } from '../../base/http.ts';
import type { Soon } from '../../base/soon.ts';
import type { AnswerContext } from '../../form.ts';
import { jsonAnswer } from '../../pages/problem_answer.ts';
import { failure } from '../../pages/respond.ts';
import { publicKeys } from './code.ts';

/** With what receipts are checked: a JSON Web Key Set (RFC 7517, 5). */
export const receiptsAnswer = (context: AnswerContext): Soon<RelayResponse> =>
  context.settings.receiptSecrets.length > 0
    ? jsonAnswer(200, { keys: publicKeys(context.settings.receiptSecrets) })
    : failure(404, { code: 'unknown_page' }, context);
