export interface MailService {
  readonly name: string;
  /** Its SMTP servers. */
  readonly hosts: RegExp;
  /** Those of them that take mail for its own customers from everybody, without a login. */
  readonly inbound?: RegExp;
  /** Where everybody can have a mailbox, and only its own servers may send from. */
  readonly mailboxes?: RegExp;
  /** Replaces the envelope sender by one of its own, so that its customers' SPF records do not matter. */
  readonly hasOwnEnvelope?: true;
  /** What an SPF record includes to allow its servers. */
  readonly spf?: string;
  /** Which of its servers that allows, where it is not all. */
  readonly spfHosts?: RegExp;
  /** How to send from an account there, by the name that `relay init --mail` knows it under. */
  readonly accounts?: Readonly<Record<string, MailAccount>>;
}

export interface MailAccount {
  readonly title: string;
  /** What people may call it instead. */
  readonly alsoCalled?: readonly string[];
  /** A name in capitals is to be replaced. */
  readonly host: string;
  /** In other regions, and for other plans. */
  readonly otherHosts?: readonly (readonly [whose: string, host: string])[];
  /** 465 speaks TLS from the first byte, 587 after STARTTLS. */
  readonly port: 465 | 587;
  readonly username: Username;
  readonly secret: Secret;
  /** Whether OAuth does as well as that. */
  readonly takesOAuth?: true;
  /** Whether it takes no password at all, and so wants OAuth. */
  readonly wantsOAuth?: true;
  /** Whether it hangs up on a client that calls itself `localhost`. */
  readonly wantsEhloName?: true;
  /** Whether it may know its customers by their addresses alone. */
  readonly takesNoLogin?: true;
  /** What is shown to it by mistake, as far as its looks tell. Says nothing of what it is. */
  readonly mistakeIn?: (shown: Shown) => string | undefined;
  /** An example of who mails may be from. Default: `website@example.com`. */
  readonly sender?: string;
}

interface Shown {
  readonly username: string;
  readonly password: string;
}

export interface Username {
  /** What it is, in words. */
  readonly is: string;
  /** As a config has it. Default: the sender. */
  readonly written?: string;
}

/** What stands in the place of the password. */
interface Secret {
  readonly is: string;
  /** Where it is to be found. */
  readonly from: string;
}
