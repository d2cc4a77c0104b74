/** The shape of a tool. Siblings in tools/ share it, and index.ts lists them. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod/v4';
import type { Session } from './session.ts';

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the assistant: what it does, when to use it, what it never does. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** Whether a session has it. Default: every session. */
  readonly isIn?: (session: Session) => boolean;
  /**
   * The result. A `ToolError` or `ClientError` says why it cannot, in words for the assistant.
   *
   * @param signal Aborted when the assistant no longer wants the answer.
   */
  run(input: z.output<Input>, session: Session, signal: AbortSignal): Promise<z.input<Output>>;
}

/** Checks the types of a tool, and forgets them. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(one: Tool<Input, Output>): Tool =>
  one as unknown as Tool;

/** Annotations of tools that reach nothing but this machine's files, and change none. */
export const looksOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** Annotations of tools that also ask the owner's servers, and change nothing there. */
export const asksServers = { ...looksOnly, idempotentHint: false, openWorldHint: true } as const;
