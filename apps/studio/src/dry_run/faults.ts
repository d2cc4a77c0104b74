/** The failures that an output can be made to have, by the protocol that it speaks. */

import { type ClientError, failures, outputWords } from '@form-relay/base/client_error';
import { awsWords } from '@form-relay/clients/aws/failures';
import { connectionWords } from '@form-relay/clients/failures';
import { smtpWords } from '@form-relay/clients/smtp/failures';
import type { FormOutput } from '@form-relay/core/outputs/output';

export interface Fault {
  readonly name: string;
  /** Follows the output's name, such as "answers 500". */
  readonly says: string;
  /** It occurs when the time is up. */
  readonly isSlow?: true;
  error(timeoutMs: number): ClientError;
}

const failed = failures({
  ...connectionWords,
  ...outputWords,
  ...smtpWords,
  ...awsWords,
  folder_full: 'the folder: no space is left',
  folder_missing: 'the folder is not there',
});

const refused: Fault = {
  name: 'refused',
  says: 'refuses the connection',
  error: () => {
    const found = { call: 'connect', codes: ['ECONNREFUSED'] };
    return failed('nobody_listens', found, { retryAfterMs: 0, isUnsent: true });
  },
};

const slow: Fault = {
  name: 'slow',
  says: 'does not answer in time',
  isSlow: true,
  error: (timeoutMs) => failed('timed_out', { timeoutMs }),
};

const fault = (name: string, says: string, error: () => ClientError): readonly Fault[] => [
  refused,
  { name, says, error },
  slow,
];
const bounced = (error: () => ClientError) => fault('bounced', 'bounces the mail', error);

const faults: Readonly<Record<NonNullable<Transport['protocol']>, readonly Fault[]>> = {
  http: fault('status_500', 'answers 500', () =>
    failed('http_status', { status: 500, isElsewhere: false, code: undefined }),
  ),
  smtp: bounced(() => failed('smtp_refused', { command: 'RCPT', reply: '550 5.1.1' })),
  ses: bounced(() => failed('ses_status', { status: 400, name: 'MessageRejected' })),
  s3: fault('denied', 'denies access', () => failed('s3_access_denied', { action: 's3:PutObject' })),
  folder: [
    { name: 'full', says: 'has no room left', error: () => failed('folder_full') },
    { name: 'missing', says: 'is not there', error: () => failed('folder_missing') },
    slow,
  ],
};

type Transport = NonNullable<FormOutput['transport']>;

/** None for an unknown type. */
export const faultsOf = ({ transport }: Pick<FormOutput, 'transport'>): readonly Fault[] =>
  transport?.protocol ? faults[transport.protocol] : [];
