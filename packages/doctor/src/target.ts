/** The other side of an output, as far as it is known before there is a submission. */

import type { Mailbox } from '@form-relay/base/address';
import type { OAuth2 } from '@form-relay/clients/oauth2/token_request';
import type { Addressed } from '@form-relay/core/outputs/http';
import type { Template } from '@form-relay/schema/template';

interface Named {
  /** For people, such as `https://crm.example.com/leads`. Holds no credentials. */
  readonly name: string;
}

export interface HttpTarget extends Named {
  readonly protocol: 'http';
  readonly address?: Addressed | undefined;
  readonly oauth2?: OAuth2 | undefined;
}

interface MailTarget extends Named {
  /** Absent in servers that only carry mails to visitors. */
  readonly to?: readonly Template[] | undefined;
  readonly cc?: readonly Template[] | undefined;
  readonly bcc?: readonly Template[] | undefined;
  readonly from?: Mailbox | undefined;
}

export interface SmtpTarget extends MailTarget {
  readonly protocol: 'smtp';
  readonly host: string;
  readonly port: number;
  readonly tls?: 'opportunistic' | 'required' | 'implicit' | undefined;
  readonly username?: Template | undefined;
  readonly password?: Template | undefined;
  readonly auth?: 'plain' | 'login' | 'oauth2' | undefined;
  readonly oauth2?: OAuth2 | undefined;
}

export interface SesTarget extends MailTarget {
  readonly protocol: 'ses';
}

export interface FolderTarget extends Named {
  readonly protocol: 'folder';
  readonly path: string;
}

export interface S3Target extends Named {
  readonly protocol: 's3';
  readonly bucket: string;
  readonly prefix: string;
}

export type Target = HttpTarget | SmtpTarget | SesTarget | FolderTarget | S3Target;
