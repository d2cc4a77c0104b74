/**
 * The part of Cloudflare's module that the relay uses. @see
 * https://developers.cloudflare.com/workers/runtime-apis/
 */
declare module 'cloudflare:workers' {
  export abstract class DurableObject {
    constructor(state: DurableObjectState, env: unknown);
    protected readonly ctx: DurableObjectState;
  }
  export interface DurableObjectState {
    readonly storage: {
      get<T>(key: string): Promise<T | undefined>;
      put(key: string, value: unknown): Promise<void>;
      deleteAll(): Promise<void>;
      setAlarm(at: number): Promise<void>;
    };
  }
}
