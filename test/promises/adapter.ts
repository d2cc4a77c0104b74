/** Everything the suite knows about a product: its features, how to declare forms, and its own paths. */
import type { Answer } from './client.ts';

/** Features that a product may offer. Promises about a missing feature count as neither kept nor broken. */
export const features = [
  'http_post',
  'smtp',
  'crm_web2lead',
  /** Several outputs of a form. */
  'fan_out',
  /** `on_error: continue`. */
  'on_error',
  /** Renaming and selecting fields, and fixed values. */
  'mapping',
  'headers',
  /** Retrying after a failure that may be temporary. */
  'retries',
  /** Rejecting fields that are missing, too long, or of the wrong type. */
  'validation',
  'field_types',
  'honeypot',
  'min_fill',
  'captcha',
  'templates',
  /** An invalid config keeps the product from serving it. */
  'config_checks',
  /** `GET …/form/{form}` */
  'form_html',
  /** Answers in HTML for `HX-Request`. */
  'fragments',
  'cors',
  'throttle',
  'cli',
] as const;

export type Feature = (typeof features)[number];

export interface FieldDeclared {
  readonly name: string;
  readonly type?: string;
  readonly required?: boolean;
  readonly options?: readonly string[];
}

/** Keys and values as in Form Relay's config. */
export interface OutputDeclared {
  readonly type: string;
  readonly url?: string;
  readonly host?: string;
  /** A text, as in SPEC. */
  readonly port?: string;
  readonly to?: string;
  readonly subject?: string;
  readonly username?: string;
  readonly password?: string;
  readonly mapping?: Readonly<Record<string, string>>;
  readonly static?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly on_error?: string;
  /** How long the product may wait for the output, such as `2s`. */
  readonly timeout?: string;
}

export interface FormDeclared {
  readonly fields: readonly FieldDeclared[];
  readonly outputs: readonly OutputDeclared[];
  readonly confirmation?: string;
  readonly spam?: {
    readonly honeypot?: string;
    readonly min_fill_seconds?: number;
    readonly form_ttl?: string;
    readonly token_field?: string;
  };
  readonly captcha?: {
    readonly provider: string;
    readonly secret: string;
    /** The suite's own stub of the provider. */
    readonly verify_url: string;
  };
}

/** Settings for a product that the suite starts. */
export interface ProductConfig {
  readonly forms: Readonly<Record<string, FormDeclared>>;
  /** Variables that templates read with `{{ env "…" }}`. */
  readonly env: Readonly<Record<string, string>>;
  /** Signs min-fill tokens. If empty, there is no secret, and forms that need one fail closed. */
  readonly tokenSecret: string;
  /** Origins that may read answers in a browser. */
  readonly allowedOrigins: readonly string[];
  /** Requests per second, and the burst. */
  readonly throttle: { readonly rate: number; readonly burst: number };
  /** An empty folder, deleted afterwards. */
  readonly folder: string;
}

export interface Running {
  /** For example `http://127.0.0.1:8080`. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Adapter {
  readonly name: string;
  /** Default: everything. */
  readonly offers?: readonly Feature[];
  /** Declares the forms, and resolves when the product listens. Throws if it refuses to start. */
  start(config: ProductConfig): Promise<Running>;
  /** Default: `/api/v1/submit/{form}`, `/api/v1/form/{form}`, `/api/v1/token/{form}`. */
  readonly paths?: {
    readonly submit?: (form: string) => string;
    readonly form?: (form: string) => string;
    readonly token?: (form: string) => string;
  };
  /** Whether the answer tells the visitor that the submission was accepted. Default: status 200 to 399. */
  isTaken?(answer: Answer): boolean;
  /** Runs the product's command line with a config for these forms. */
  run?(words: readonly string[], config: Pick<ProductConfig, 'forms' | 'folder'>): Promise<Finished>;
}
