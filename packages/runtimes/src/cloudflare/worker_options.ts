export interface WorkerOptions {
  /** The config as YAML text, such as an imported file. Default: `kv`, or what CONFIG_INLINE or CONFIG_BUCKET say. */
  readonly config?: string;
  /** Texts beside it: the files that it names, by their names there. */
  readonly files?: Readonly<Record<string, string>>;
  /** The binding of the KV namespace that holds the config, under CONFIG_KEY (default: `webform.yaml`). */
  readonly kv?: string;
  /** The binding of the Durable Objects that count `rate_limit` for all of Cloudflare. Default: each isolate counts. */
  readonly limits?: string;
}

/** The part of Cloudflare's context that is used. */
export interface WorkerContext {
  waitUntil(work: Promise<unknown>): void;
}

/** Handlers of a Worker, to be exported as its default. `env` holds its variables, secrets and bindings. */
export interface FormRelayWorker {
  fetch(request: Request, env: object, context: WorkerContext): Promise<Response>;
  queue(batch: QueueBatch, env: object, context: WorkerContext): Promise<void>;
}

/** A batch of one queue. @see https://developers.cloudflare.com/queues/configuration/javascript-apis/#messagebatch */
export interface QueueBatch {
  readonly queue: string;
  readonly messages: readonly QueueMessage[];
}

export interface QueueMessage {
  readonly id: string;
  readonly body: unknown;
  ack(): void;
  retry(options?: { readonly delaySeconds?: number }): void;
}
